//! Whether the desktop's colours are dark or light, where the window's system does not say so
//! itself: the settings portal of Linux desktops, over D-Bus.

use super::link::ToWindowLink;
#[cfg(all(unix, not(target_vendor = "apple")))]
use crate::wire::spawning::spawn;

/// Reports the preference now and whenever it changes, as far as there is one.
#[cfg(all(unix, not(target_vendor = "apple")))]
pub(super) fn follow(window: ToWindowLink) {
    spawn(async move {
        // Without a portal the theme is as it comes.
        if let Err(error) = linux::follow(&window).await {
            tracing::debug!("no preference of dark or light: {error}");
        }
    });
}

#[cfg(not(all(unix, not(target_vendor = "apple"))))]
pub(super) fn follow(_window: ToWindowLink) {}

#[cfg(all(unix, not(target_vendor = "apple")))]
mod linux {
    use futures::StreamExt as _;
    use zbus::{
        Connection, Proxy,
        zvariant::{OwnedValue, Value},
    };

    use crate::runtime::window::link::{ToWindow, ToWindowLink};

    const SECTION: &str = "org.freedesktop.appearance";
    const KEY: &str = "color-scheme";

    pub(super) async fn follow(window: &ToWindowLink) -> zbus::Result<()> {
        let bus = Connection::session().await?;
        let portal = Proxy::new(
            &bus,
            "org.freedesktop.portal.Desktop",
            "/org/freedesktop/portal/desktop",
            "org.freedesktop.portal.Settings",
        )
        .await?;
        let mut changes = portal.receive_signal("SettingChanged").await?;
        let now: OwnedValue = match portal.call("ReadOne", &(SECTION, KEY)).await {
            Ok(now) => now,
            // Older portals know this one alone.
            Err(_) => portal.call("Read", &(SECTION, KEY)).await?,
        };
        report(window, &now);
        while let Some(change) = changes.next().await {
            let body = change.body();
            let (section, key, value): (String, String, Value<'_>) = body.deserialize()?;
            if section == SECTION && key == KEY {
                report(window, &value);
            }
        }
        Ok(())
    }

    fn report(window: &ToWindowLink, value: &Value<'_>) {
        if let Some(is_dark) = prefers_dark(value) {
            window.ask(ToWindow::SystemDark(is_dark));
        }
    }

    /// 1 is dark, 2 is light, 0 is neither; in a value within a value where the portal is old.
    fn prefers_dark(value: &Value<'_>) -> Option<bool> {
        match value {
            Value::U32(1) => Some(true),
            Value::U32(2) => Some(false),
            Value::Value(inner) => prefers_dark(inner),
            _ => None,
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_portals_numbers_are_read() {
            let read = [0_u32, 1, 2, 3].map(|number| prefers_dark(&Value::U32(number)));
            assert_eq!(read, [None, Some(true), Some(false), None]);
            let within = Value::Value(Box::new(Value::U32(2)));
            assert_eq!(prefers_dark(&within), Some(false));
        }
    }
}
