//! Names of filters and tests, which Jinja2 looks up before it renders anything.

use minijinja::machinery::ast::{CallArg, Expr, Macro, Stmt};

/// Jinja2's filters.
const FILTERS: &str = "abs attr batch capitalize center count d default dictsort e escape \
    filesizeformat first float forceescape format groupby indent int items join last length list \
    lower map max min pprint random reject rejectattr replace reverse round safe select selectattr \
    slice sort string striptags sum title tojson trim truncate unique upper urlencode urlize \
    wordcount wordwrap xmlattr";
/// Its tests.
const TESTS: &str = "!= < <= == > >= boolean callable defined divisibleby eq equalto escaped even \
    false filter float ge greaterthan gt in integer iterable le lessthan lower lt mapping ne none \
    number odd sameas sequence string test true undefined upper";

/// What is wrong with the first name that Jinja2 does not have; `None` where it has all.
pub(super) fn unknown_name(template: &Stmt<'_>) -> Option<String> {
    let mut names = Names::default();
    names.visit(template, false);
    let (line, kind, name) = names.unknown.into_iter().min_by_key(|(line, ..)| *line)?;
    Some(format!("line {line}: {kind} {name} is unknown"))
}

/// Those that are unknown, with their lines. Within `if` Jinja2 looks a name up once it gets there,
/// but not within other blocks in it.
#[derive(Default)]
struct Names {
    unknown: Vec<(u16, &'static str, String)>,
}

impl Names {
    fn visit(&mut self, statement: &Stmt<'_>, is_late: bool) {
        match statement {
            Stmt::Template(template) => self.visit_all(&template.children, is_late),
            Stmt::EmitExpr(emitted) => self.look_up(&emitted.expr, is_late),
            Stmt::ForLoop(each) => {
                self.look_up(&each.iter, is_late);
                self.look_up_all(&each.filter_expr, false);
                self.visit_all(&each.body, false);
                self.visit_all(&each.else_body, false);
            }
            Stmt::IfCond(condition) => {
                self.look_up(&condition.expr, true);
                self.visit_all(&condition.true_body, true);
                self.visit_all(&condition.false_body, true);
            }
            Stmt::WithBlock(with) => {
                self.look_up_all(with.assignments.iter().map(|(_, value)| value), is_late);
                self.visit_all(&with.body, false);
            }
            Stmt::Set(set) => self.look_up(&set.expr, is_late),
            Stmt::SetBlock(set) => {
                self.look_up_all(&set.filter, false);
                self.visit_all(&set.body, false);
            }
            Stmt::AutoEscape(escape) => {
                self.look_up(&escape.enabled, is_late);
                self.visit_all(&escape.body, false);
            }
            Stmt::FilterBlock(block) => {
                self.look_up(&block.filter, false);
                self.visit_all(&block.body, false);
            }
            Stmt::Block(block) => self.visit_all(&block.body, false),
            Stmt::Macro(made) => self.visit_macro(made),
            Stmt::CallBlock(block) => {
                self.look_up_args(&block.call.args, is_late);
                self.visit_macro(&block.macro_decl);
            }
            Stmt::Do(done) => self.look_up_args(&done.call.args, is_late),
            Stmt::EmitRaw(_)
            | Stmt::Import(_)
            | Stmt::FromImport(_)
            | Stmt::Extends(_)
            | Stmt::Include(_) => {}
        }
    }

    fn visit_all(&mut self, statements: &[Stmt<'_>], is_late: bool) {
        for statement in statements {
            self.visit(statement, is_late);
        }
    }

    fn visit_macro(&mut self, made: &Macro<'_>) {
        self.look_up_all(&made.defaults, false);
        self.visit_all(&made.body, false);
    }

    fn look_up_all<'e, 't: 'e>(
        &mut self,
        expressions: impl IntoIterator<Item = &'e Expr<'t>>,
        is_late: bool,
    ) {
        for expression in expressions {
            self.look_up(expression, is_late);
        }
    }

    fn look_up(&mut self, expression: &Expr<'_>, is_late: bool) {
        match expression {
            Expr::Var(_) | Expr::Const(_) => {}
            Expr::Slice(slice) => {
                self.look_up(&slice.expr, is_late);
                let ends = [&slice.start, &slice.stop, &slice.step];
                self.look_up_all(ends.into_iter().flatten(), is_late);
            }
            Expr::UnaryOp(operation) => self.look_up(&operation.expr, is_late),
            Expr::BinOp(operation) => {
                self.look_up_all([&operation.left, &operation.right], is_late);
            }
            Expr::Compare(chain) => {
                self.look_up(&chain.expr, is_late);
                self.look_up_all(chain.ops.iter().map(|operation| &operation.expr), is_late);
            }
            Expr::IfExpr(choice) => {
                self.look_up_all([&choice.test_expr, &choice.true_expr], true);
                self.look_up_all(&choice.false_expr, true);
            }
            Expr::Filter(filter) => {
                self.look_up_all(&filter.expr, is_late);
                self.look_up_args(&filter.args, is_late);
                let line = filter.span().start_line;
                self.check(FILTERS, line, "filter", filter.name, is_late);
            }
            Expr::Test(test) => {
                self.look_up(&test.expr, is_late);
                self.look_up_args(&test.args, is_late);
                self.check(TESTS, test.span().start_line, "test", test.name, is_late);
            }
            Expr::GetAttr(attribute) => self.look_up(&attribute.expr, is_late),
            Expr::GetItem(item) => {
                self.look_up_all([&item.expr, &item.subscript_expr], is_late);
            }
            Expr::Call(call) => {
                self.look_up(&call.expr, is_late);
                self.look_up_args(&call.args, is_late);
            }
            Expr::List(list) => self.look_up_all(&list.items, is_late),
            Expr::Tuple(tuple) => self.look_up_all(&tuple.items, is_late),
            Expr::Map(map) => self.look_up_all(map.keys.iter().chain(&map.values), is_late),
        }
    }

    fn look_up_args(&mut self, args: &[CallArg<'_>], is_late: bool) {
        for arg in args {
            let (CallArg::Pos(value)
            | CallArg::Kwarg(_, value)
            | CallArg::PosSplat(value)
            | CallArg::KwargSplat(value)) = arg;
            self.look_up(value, is_late);
        }
    }

    fn check(&mut self, known: &str, line: u16, kind: &'static str, name: &str, is_late: bool) {
        let name: String = name.split_whitespace().collect();
        if !is_late && !known.split_whitespace().any(|known| known == name) {
            self.unknown.push((line, kind, name));
        }
    }
}

#[cfg(test)]
mod tests {
    use minijinja::machinery::parse;

    use super::*;

    fn unknown(template: &str) -> Option<String> {
        unknown_name(&parse(template, "", Default::default()).unwrap())
    }

    /// What Jinja2 3.1.6 says of each.
    #[test]
    fn names_are_looked_up_where_jinja2_does() {
        for template in [
            "{% for x in xs %}{{ x|nope }}{% endfor %}",
            "{{ user.name }} {{ x|nope }}",
            "{{ f() }}{{ 1 is nope }}",
            "{% macro m() %}{{ 1|nope }}{% endmacro %}",
            "{{ 1 + nothing }}{{ 'a'|split(',') }}",
            "{% if x %}{% for a in b %}{{ a|nope }}{% endfor %}{% endif %}",
            "{% if x %}{% set y | nope %}{{ 1 }}{% endset %}{% endif %}",
            "{% for a in b if a|nope %}{% endfor %}",
            "{{ x and 1|nope }}",
            "{% if x %}{% filter nope %}{% endfilter %}{% endif %}",
        ] {
            let fault = unknown(template).unwrap_or_default();
            assert!(fault.ends_with(" is unknown"), "{template}: {fault}");
        }
        for template in [
            "{% if x %}{{ 1|nope }}{% endif %}",
            "{{ (1|nope) if x else 2 }}",
            "{% if 1|nope %}{% endif %}",
            "{% if x %}{% for a in b|nope %}{% endfor %}{% endif %}",
            "{% if x %}{% call m(1|nope) %}{% endcall %}{% endif %}",
            "{% if x %}{% with a=1|nope %}{% endwith %}{% endif %}",
            "{{ [a|nope if b else c] }}",
            "{{ x|wordwrap }}{{ x|e }}{{ 1 is ge(2) }}",
        ] {
            assert_eq!(unknown(template), None, "{template}");
        }
    }
}
