//! The real program answering for services.

use std::{
    io::{BufRead as _, BufReader, Lines},
    process::{Child, ChildStderr, Command},
};

use super::place::Place;

/// `toolcrib serve`, stopped with the test.
pub struct Serving {
    child: Child,
    lines: Lines<BufReader<ChildStderr>>,
}

impl Serving {
    pub fn start(place: &Place, connection: &str, arguments: &[&str]) -> Self {
        Self::of(&mut place.command(&[&["serve", "--connection", connection], arguments].concat()))
    }

    /// One that is made ready to run.
    pub fn of(command: &mut Command) -> Self {
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        Self { child, lines }
    }

    pub fn line(&mut self) -> String {
        self.lines.next().expect("it said no more").unwrap()
    }

    /// The address that a gateway listens at, once it does.
    pub fn address(&mut self) -> String {
        loop {
            if let Some(address) = self.line().strip_prefix("listening at ") {
                return address.to_owned();
            }
        }
    }

    pub fn interrupt(self) {
        self.interrupt_to(0);
    }

    /// That it ends with this code then.
    pub fn interrupt_to(mut self, code: i32) {
        let told =
            Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        assert!(told.success());
        assert_eq!(self.child.wait().unwrap().code(), Some(code));
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
