//! What a filter or a method is called with, by the names that Python has for it.

use minijinja::{
    Error, ErrorKind, Value,
    value::{Kwargs, ValueKind, from_args},
};

use super::series::is_uncalled;

/// Arguments in the order of their names, `None` where one is not given.
pub(super) struct Arguments<const N: usize>([Option<Value>; N]);

/// Those of a call: by place, then by name.
///
/// # Errors
/// There are more than these.
pub(super) fn bind<const N: usize>(
    args: &[Value],
    names: [&str; N],
) -> Result<Arguments<N>, Error> {
    let (keywords, by_place) = match args.split_last() {
        Some((last, rest)) if last.is_kwargs() => {
            (Some(from_args::<(Kwargs,)>(std::slice::from_ref(last))?.0), rest)
        }
        _ => (None, args),
    };
    if by_place.len() > N {
        return Err(Error::from(ErrorKind::TooManyArguments));
    }
    let mut bound: [Option<Value>; N] = std::array::from_fn(|at| by_place.get(at).cloned());
    if let Some(keywords) = keywords {
        for (value, name) in bound.iter_mut().zip(names).filter(|(value, _)| value.is_none()) {
            *value = keywords.get(name)?;
        }
        keywords.assert_all_used()?;
    }
    Ok(Arguments(bound))
}

impl<const N: usize> Arguments<N> {
    /// One that may be None, as if it were not given.
    pub(super) fn get(&self, at: usize) -> Option<&Value> {
        self.0.get(at)?.as_ref().filter(|value| !value.is_none())
    }

    pub(super) fn value(&self, at: usize) -> Result<&Value, Error> {
        self.0.get(at).and_then(Option::as_ref).ok_or_else(|| ErrorKind::MissingArgument.into())
    }

    pub(super) fn text(&self, at: usize) -> Result<&str, Error> {
        self.value(at)?.as_str().ok_or_else(|| invalid("a text is expected"))
    }

    pub(super) fn text_or<'a>(&'a self, at: usize, default: &'a str) -> Result<&'a str, Error> {
        if self.get(at).is_some() { self.text(at) } else { Ok(default) }
    }

    pub(super) fn number_or(&self, at: usize, default: i64) -> Result<i64, Error> {
        match self.get(at) {
            Some(value) => value.as_i64().ok_or_else(|| invalid("a whole number is expected")),
            None => Ok(default),
        }
    }

    pub(super) fn flag(&self, at: usize) -> bool {
        self.get(at).is_some_and(Value::is_true)
    }
}

pub(super) fn invalid(words: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidOperation, words.into())
}

/// How long a text may become in one step.
const LONGEST: usize = 1 << 20;

/// That a text of this length may be made.
///
/// # Errors
/// It is too long.
pub(super) fn allow_length(length: usize) -> Result<(), Error> {
    if length > LONGEST { Err(ErrorKind::OutOfFuel.into()) } else { Ok(()) }
}

/// That Python goes through a value.
///
/// # Errors
/// It doesn't.
pub(super) fn allow_each(value: &Value) -> Result<(), Error> {
    match value.kind() {
        ValueKind::None => Err(invalid("None is nothing to go through")),
        _ if is_uncalled(value) => {
            Err(invalid("a method is nothing to go through: it lacks its ()"))
        }
        _ => Ok(()),
    }
}
