//! What can be done with the parts of what a server answered: save them, open them with the system's
//! program, read what a link leads to. Nothing is done before it is chosen.

use super::{
    overlays::{
        menu::{Item, Menu},
        prompt::Prompt,
    },
    view::Reply,
};
use crate::{
    app::{message::Message, resources::ResourceMessage},
    model::content_part::{ContentPart, parts_to_save},
};

/// Asks for the file, or the folder, that parts are saved in.
pub(crate) fn save_prompt(parts: Vec<ContentPart>) -> Reply {
    let saved = parts_to_save(&parts);
    let (words, name) = match saved.as_slice() {
        [] => return Reply::Refused("nothing to save".into()),
        [(number, part)] => {
            (format!("{}, into the file:", part.summary()), part.file_name(*number))
        }
        many => (
            format!(
                "{} parts. Save into the folder, or into numbered files with this name:",
                many.len()
            ),
            "answer/".to_owned(),
        ),
    };
    Reply::Open(Box::new(
        Prompt::new("Save", words, name, move |path, _| {
            if path.is_empty() {
                return Err("name a file".into());
            }
            let (parts, path) = (parts.clone(), path.to_owned());
            Ok(Reply::send(Message::Resource(ResourceMessage::SaveParts { parts, path })))
        })
        .with_act("save")
        .preselected(),
    ))
}

/// Opens the part that another program can show; asks which where there are several.
pub(crate) fn open_part(parts: &[ContentPart]) -> Reply {
    let offers = offers(parts, None).into_iter().filter(|offer| offer.is_opening);
    choose_offer("Open", offers.collect(), NOTHING_TO_OPEN)
}

pub(crate) const NOTHING_TO_OPEN: &str = "there is no image, audio, video or PDF to open here";

/// Whether there is something that another program can show.
#[must_use]
pub(crate) fn has_viewed(parts: &[ContentPart]) -> bool {
    parts.iter().any(|part| part.viewed_ending().is_some())
}

/// Whether anything but a text is among the parts.
#[must_use]
pub(crate) fn has_attachments(parts: &[ContentPart]) -> bool {
    parts.iter().any(|part| part.bytes.is_some() || part.link.is_some() || !part.source.is_empty())
}

/// All that can be done with the parts of an answer that came through that connection.
pub(crate) fn parts_menu(parts: &[ContentPart], connection: &str) -> Reply {
    choose_offer("Parts of the answer", offers(parts, Some(connection)), "the answer has no parts")
}

/// Something that can be done with a part.
struct Offer {
    title: String,
    detail: String,
    is_opening: bool,
    then: Then,
}

enum Then {
    Send(Box<ResourceMessage>),
    Save(Vec<ContentPart>),
}

fn offers(parts: &[ContentPart], connection: Option<&str>) -> Vec<Offer> {
    let mut offers = Vec::new();
    // Plain texts are seen anyway: they come last.
    let is_plain = |part: &&ContentPart| !has_attachments(std::slice::from_ref(*part));
    let (plain, rest): (Vec<_>, Vec<_>) = parts.iter().partition(is_plain);
    for part in rest.into_iter().chain(plain) {
        let mut offer = |verb: &str, is_opening, then| {
            let words = part.link.clone().unwrap_or_else(|| part.summary());
            let detail = match part.link.is_some() {
                true => part.text.as_deref().unwrap_or_default().replace('\n', " · "),
                false => part.source.clone(),
            };
            offers.push(Offer { title: format!("{verb} {words}"), detail, is_opening, then });
        };
        if let (Some(uri), Some(connection)) = (&part.link, connection) {
            let (connection, uri) = (connection.to_owned(), uri.clone());
            let message = ResourceMessage::ReadLink { connection, uri };
            offer("Read", false, Then::Send(Box::new(message)));
            continue;
        }
        if part.viewed_ending().is_some() {
            let message = ResourceMessage::OpenPart(Box::new(part.clone()));
            offer("Open", true, Then::Send(Box::new(message)));
        }
        if part.file_bytes().is_some() {
            offer("Save", false, Then::Save(vec![part.clone()]));
        }
    }
    let savable = parts_to_save(parts);
    if savable.len() > 1 {
        let title = format!("Save all {}", savable.len());
        let then = Then::Save(parts.to_vec());
        offers.push(Offer { title, detail: String::new(), is_opening: false, then });
    }
    offers
}

fn choose_offer(title: &str, offers: Vec<Offer>, empty: &str) -> Reply {
    match offers.as_slice() {
        [] => return Reply::Refused(empty.to_owned()),
        [only] if only.is_opening => return take_offer(&only.then),
        _ => {}
    }
    let item = |offer: &Offer| Item {
        title: offer.title.clone(),
        detail: offer.detail.clone(),
        ..Item::default()
    };
    let items = offers.iter().map(item).collect();
    Reply::Open(Box::new(Menu::with_replies(title, items, move |row| {
        offers.get(row).map_or(Reply::Handled, |offer| take_offer(&offer.then))
    })))
}

fn take_offer(then: &Then) -> Reply {
    match then {
        Then::Send(message) => Reply::send(Message::Resource((**message).clone())),
        Then::Save(parts) => save_prompt(parts.clone()),
    }
}
