//! Another program on a display, from which files are dragged: it speaks XDND, as file managers do.

use std::path::Path;

use x11rb::{
    COPY_DEPTH_FROM_PARENT, COPY_FROM_PARENT, CURRENT_TIME,
    connection::Connection as _,
    protocol::{
        Event,
        xproto::{
            ClientMessageEvent, ConnectionExt as _, CreateWindowAux, EventMask, PropMode,
            SELECTION_NOTIFY_EVENT, SelectionNotifyEvent, SelectionRequestEvent, Window,
            WindowClass,
        },
    },
    rust_connection::RustConnection,
    wrapper::ConnectionExt as _,
};

const VERSION: u32 = 5;

struct Source {
    connection: RustConnection,
    own: Window,
    target: Window,
}

/// Drags a file or a folder onto a window, to a place on the display, and lets it go there; returns
/// once the window has said that it is done with it.
pub fn drop_path(display: &str, target: Window, (x, y): (u16, u16), path: &Path) {
    let (connection, index) = RustConnection::connect(Some(display)).unwrap();
    let (root, own) = (connection.setup().roots[index].root, connection.generate_id().unwrap());
    let (depth, class) = (COPY_DEPTH_FROM_PARENT, WindowClass::INPUT_OUTPUT);
    connection
        .create_window(
            depth,
            own,
            root,
            0,
            0,
            1,
            1,
            0,
            class,
            COPY_FROM_PARENT,
            &CreateWindowAux::new(),
        )
        .unwrap()
        .check()
        .unwrap();
    let source = Source { connection, own, target };
    let [selection, list, copy] =
        ["XdndSelection", "text/uri-list", "XdndActionCopy"].map(|name| source.atom(name));
    source.connection.set_selection_owner(own, selection, CURRENT_TIME).unwrap().check().unwrap();
    source.send("XdndEnter", [VERSION << 24, list, 0, 0]);
    let at = u32::from(x) << 16 | u32::from(y);
    source.send("XdndPosition", [0, at, CURRENT_TIME, copy]);
    let finished = source.atom("XdndFinished");
    loop {
        match source.connection.wait_for_event().unwrap() {
            Event::SelectionRequest(request) => {
                source.give(&request, path);
                source.send("XdndDrop", [0, CURRENT_TIME, 0, 0]);
            }
            Event::ClientMessage(message) if message.type_ == finished => return,
            _ => {}
        }
    }
}

impl Source {
    fn atom(&self, name: &str) -> u32 {
        self.connection.intern_atom(false, name.as_bytes()).unwrap().reply().unwrap().atom
    }

    fn send(&self, name: &str, [one, two, three, four]: [u32; 4]) {
        let data = [self.own, one, two, three, four];
        let event = ClientMessageEvent::new(32, self.target, self.atom(name), data);
        let sent = self.connection.send_event(false, self.target, EventMask::NO_EVENT, event);
        sent.unwrap().check().unwrap();
    }

    /// Hands over the path, as the address of a file.
    fn give(&self, request: &SelectionRequestEvent, path: &Path) {
        let address = format!("file://{}\r\n", path.display());
        self.connection
            .change_property8(
                PropMode::REPLACE,
                request.requestor,
                request.property,
                request.target,
                address.as_bytes(),
            )
            .unwrap()
            .check()
            .unwrap();
        let given = SelectionNotifyEvent {
            response_type: SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time: request.time,
            requestor: request.requestor,
            selection: request.selection,
            target: request.target,
            property: request.property,
        };
        let sent = self.connection.send_event(false, request.requestor, EventMask::NO_EVENT, given);
        sent.unwrap().check().unwrap();
    }
}
