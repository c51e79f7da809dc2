//! Whether Python's `re` compiles a pattern. Its syntax is neither ECMA's nor Rust's: `(?P<y>…)`,
//! `\Z` and `a{,3}` pass, `(?<n>a)` and `\p{L}` do not.

mod escape;
mod parser;
mod set;
mod tokens;
mod width;

pub use parser::check_pattern;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_python_compiles_passes() {
        for pattern in [
            "",
            "(?P<y>a)",
            r"a\Z",
            "a{,3}",
            "a{2,}",
            "a{",
            "a{x}",
            "{",
            "(?#c)a",
            "(?>a)b",
            "a++",
            "a{2}+",
            "[]a]",
            "[^]a]",
            "[a-]",
            "(?im)(?s)a",
            "(?i:a)b",
            "(?s-i:a)",
            "(?P<a>x)(?P=a)",
            r"(a)\1",
            "(a)?(?(1)b|c)",
            "(?(1)b)(a)",
            "(?<=ab)c",
            "(?<=a|b)c",
            "(?<!)",
            r"(a)(?<=\1)b",
            r"\x41\u0041\U00000041",
            r"\0\07\101",
            r"[\d\b]",
            r"\-\ \é",
            "(?x) a # (\n b",
            "(?=a)*",
            "()*",
            r"\N{EM DASH}",
            "\0",
            "[[:alpha:]]",
        ] {
            assert_eq!(check_pattern(pattern), Ok(()), "{pattern:?}");
        }
    }

    #[test]
    fn what_python_refuses_does_not() {
        for (pattern, about) in [
            (r"\p{L}", "bad escape"),
            ("(?<n>a)", "unknown extension"),
            (r"\z", "bad escape"),
            ("a(?i)b", "global flags"),
            ("a|(?i)b", "global flags"),
            ("(", "unterminated"),
            (")", "unbalanced"),
            ("[a", "unterminated character set"),
            ("[b-a]", "range"),
            (r"[a-\d]", "range"),
            (r"[\A]", "bad escape"),
            ("*a", "nothing to repeat"),
            ("^*", "nothing to repeat"),
            ("{,3}", "nothing to repeat"),
            ("a**", "multiple"),
            ("a+++", "multiple"),
            ("a{3,2}", "min repeat"),
            ("a{4294967295}", "too large"),
            (r"\1", "invalid group"),
            (r"(a\1)", "open group"),
            ("(?P=a)", "unknown group"),
            ("(?P<a>x)(?P<a>y)", "redefinition"),
            ("(?P<1>x)", "bad character"),
            ("(?P<>x)", "missing group name"),
            ("(?P<a", "unterminated name"),
            ("(?<=a+)b", "fixed-width"),
            (r"(?<=(a)\1)b", "lookbehind"),
            ("(?(2)a)(b)", "invalid group"),
            ("(?(0)a)", "bad group number"),
            ("(a)(?(1)b|c|d)", "two branches"),
            ("(?L)a", "'L'"),
            ("(?au)b", "incompatible"),
            ("(?a)(?u)b", "incompatible"),
            ("(?-u:a)", "turn off"),
            ("(?i-i:a)", "on and off"),
            ("(?#a", "comment"),
            (r"\x4", "incomplete"),
            (r"\u12", "incomplete"),
            (r"\U00110000", "bad escape"),
            (r"\400", "octal"),
            (r"\N{}", "character name"),
            ("a\\", "end of pattern"),
        ] {
            let told = check_pattern(pattern).expect_err(pattern);
            assert!(told.contains(about), "{pattern}: {told}");
        }
    }

    #[test]
    fn a_deep_pattern_is_refused_and_not_followed() {
        let deep = |depth: usize| "(".repeat(depth) + &")".repeat(depth);
        assert_eq!(check_pattern(&deep(200)), Ok(()));
        assert!(check_pattern(&deep(100_000)).is_err());
    }
}
