//! Names in letters of ASCII: `Zürich` is `Zuerich`.

/// Letters, and what is written where there are only those of ASCII.
const LETTERS: [(&str, &str); 30] = [
    ("ä", "ae"),
    ("ö", "oe"),
    ("ü", "ue"),
    ("ß", "ss"),
    ("Ä", "Ae"),
    ("Ö", "Oe"),
    ("Ü", "Ue"),
    ("æÆ", "ae"),
    ("œŒ", "oe"),
    ("þÞ", "th"),
    ("àáâãåāăąÀÁÂÃÅĀĂĄ", "a"),
    ("çćčĉċÇĆČĈĊ", "c"),
    ("ďđðĎĐÐ", "d"),
    ("èéêëēĕėęěÈÉÊËĒĔĖĘĚ", "e"),
    ("ĝğġģĜĞĠĢ", "g"),
    ("ĥħĤĦ", "h"),
    ("ìíîïĩīĭįıÌÍÎÏĨĪĬĮİ", "i"),
    ("ĵĴ", "j"),
    ("ķĶ", "k"),
    ("ĺļľłĹĻĽŁ", "l"),
    ("ñńņňÑŃŅŇ", "n"),
    ("òóôõøōŏőÒÓÔÕØŌŎŐ", "o"),
    ("ŕŗřŔŖŘ", "r"),
    ("śŝşšșŚŜŞŠȘ", "s"),
    ("ţťŧțŢŤŦȚ", "t"),
    ("ùúûũūŭůűųÙÚÛŨŪŬŮŰŲ", "u"),
    ("ŵŴ", "w"),
    ("ýÿŷÝŸŶ", "y"),
    ("źżžŹŻŽ", "z"),
    ("’", "'"),
];

/// A text with letters of ASCII in the place of those that have marks.
#[must_use]
pub(crate) fn latin_letters(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    for letter in text.chars() {
        let known =
            LETTERS.iter().find(|(letters, _)| !letter.is_ascii() && letters.contains(letter));
        match known {
            Some((_, plain)) => made.push_str(plain),
            None => made.push(letter),
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_with_marks_become_those_without() {
        for (text, plain) in [
            ("Wetter für Zürich ☀", "Wetter fuer Zuerich ☀"),
            ("Ärger, Größe, Straße", "Aerger, Groesse, Strasse"),
            ("Łódź, São Paulo, Žižek, Ørsted", "lodz, Sao Paulo, zizek, orsted"),
            ("名前", "名前"),
        ] {
            assert_eq!(latin_letters(text), plain);
        }
    }
}
