//! Unicode classes such as `\pL` and `\p{Greek}`: categories and scripts by the names that Go knows.

use alloc::string::String;
use regex_syntax::Parser;
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

const CATEGORIES: &str = " C Cc Cf Cn Co Cs L Lc Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs ";
/// Long names of categories without their underscores, as they are looked up.
const ALIASES: &str = " Casedletter Closepunctuation Combiningmark Connectorpunctuation Control Currencysymbol Dashpunctuation Decimalnumber Enclosingmark Finalpunctuation Format Initialpunctuation Letter Letternumber Lineseparator Lowercaseletter Mark Mathsymbol Modifierletter Modifiersymbol Nonspacingmark Number Openpunctuation Other Otherletter Othernumber Otherpunctuation Othersymbol Paragraphseparator Privateuse Punctuation Separator Spaceseparator Spacingmark Surrogate Symbol Titlecaseletter Unassigned Uppercaseletter Cntrl Digit Punct ";
/// Scripts of one word. Go removes the underscores of a name before it looks it up in a table
/// that has them, so that scripts of several words cannot be found.
const SCRIPTS: &str = " Adlam Ahom Arabic Armenian Avestan Balinese Bamum Batak Bengali Bhaiksuki Bopomofo Brahmi Braille Buginese Buhid Carian Chakma Cham Cherokee Chorasmian Common Coptic Cuneiform Cypriot Cyrillic Deseret Devanagari Dogra Duployan Elbasan Elymaic Ethiopic Georgian Glagolitic Gothic Grantha Greek Gujarati Gurmukhi Han Hangul Hanunoo Hatran Hebrew Hiragana Inherited Javanese Kaithi Kannada Katakana Kawi Kharoshthi Khmer Khojki Khudawadi Lao Latin Lepcha Limbu Lisu Lycian Lydian Mahajani Makasar Malayalam Mandaic Manichaean Marchen Medefaidrin Miao Modi Mongolian Mro Multani Myanmar Nabataean Nandinagari Newa Nko Nushu Ogham Oriya Osage Osmanya Palmyrene Phoenician Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham Sinhala Sogdian Soyombo Sundanese Syriac Tagalog Tagbanwa Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta Toto Ugaritic Vai Vithkuqi Wancho Yezidi Yi ";

/// The class of a name.
pub(super) fn table(name: &str) -> Option<ClassUnicode> {
    let name = canonical(name);
    if name.is_empty() || name.contains(' ') {
        return None;
    }
    let has = |list: &str| list.split(' ').any(|entry| entry == name);
    match name.as_str() {
        "Any" => Some(range('\0', char::MAX)),
        "Ascii" => Some(range('\0', '\x7f')),
        "Assigned" => {
            let mut class = general("Cn")?;
            class.negate();
            Some(class)
        }
        // No text contains surrogates.
        "Cs" | "Surrogate" => Some(ClassUnicode::empty()),
        "Cntrl" => general("Cc"),
        "Digit" => general("Nd"),
        "Punct" => general("P"),
        _ if has(CATEGORIES) || has(ALIASES) => general(&name),
        _ if has(SCRIPTS) => property("sc", &name),
        _ => None,
    }
}

fn range(lo: char, hi: char) -> ClassUnicode {
    ClassUnicode::new([ClassUnicodeRange::new(lo, hi)])
}

fn general(name: &str) -> Option<ClassUnicode> {
    property("gc", name)
}

fn property(kind: &str, name: &str) -> Option<ClassUnicode> {
    let parsed = Parser::new().parse(&alloc::format!("\\p{{{kind}={name}}}")).ok()?;
    match parsed.into_kind() {
        HirKind::Class(Class::Unicode(class)) => Some(class),
        HirKind::Literal(literal) => {
            let only = str::from_utf8(&literal.0).ok()?.chars().next()?;
            Some(range(only, only))
        }
        _ => None,
    }
}

/// Normalizes a name: a capital first letter, then small letters, and neither underscores, dashes nor spaces.
fn canonical(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars().filter(|letter| !matches!(letter, '_' | '-' | ' ')) {
        out.push(if out.is_empty() {
            letter.to_ascii_uppercase()
        } else {
            letter.to_ascii_lowercase()
        });
    }
    out
}
