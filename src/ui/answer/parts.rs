//! What an answer is made of beside its text: images, audio, resources, links.

use crate::{
    model::{call::Call, content_part::ContentPart},
    systems::calling,
    ui::{
        content_parts::has_attachments,
        images::{ImageFile, image_parts},
    },
};

/// A longer result is taken apart only when its parts are asked for.
const LONGEST: usize = 4 * 1024 * 1024;

/// Of a longer result no image is shown: they are taken from it on the way to a picture.
const LARGEST_IMAGES: usize = 16 * 1024 * 1024;

/// What came with the end of the call, as JSON.
fn result_body(call: &Call) -> Option<&str> {
    call.stage_body("result").map(|body| &**body)
}

/// The parts of a call's answer.
#[must_use]
pub(crate) fn answer_parts(call: &Call) -> Vec<ContentPart> {
    result_body(call)
        .map(|body| calling::answer_parts(call.request.system, body))
        .unwrap_or_default()
}

/// The text of a call's answer as a part, to be saved.
#[must_use]
pub(crate) fn text_part(call: &Call) -> ContentPart {
    let text = call.text.whole().into_owned();
    let is_json = text.trim_start().starts_with(['{', '[']);
    ContentPart {
        kind: "answer".into(),
        mime: is_json.then(|| "application/json".into()),
        text: Some(text),
        ..ContentPart::default()
    }
}

/// The images in a call's answer that can be drawn.
#[must_use]
pub(crate) fn images(call: &Call) -> Vec<ImageFile> {
    match result_body(call) {
        Some(body) if body.len() <= LARGEST_IMAGES => {
            image_parts(&answer_parts(call)).map(|(_, image)| image).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether the answer of an ended call has parts that are more than text.
#[must_use]
pub(crate) fn has_parts(call: &Call) -> bool {
    let body = result_body(call);
    body.is_some_and(|body| body.len() > LONGEST || has_attachments(&answer_parts(call)))
}
