//! Entries that have another place in their file than before, as where a list has a new item above
//! them: an entry is known by its place, and what is known of it goes along.

use std::{
    collections::{HashMap, HashSet},
    hash::Hash,
    mem,
};

use crate::model::{
    catalog::Catalog,
    entry::{Entry, EntryId, EntryKind, EntryPlace, FileId, SystemId},
    finding::Finding,
};

/// What an entry is called, and which of those of that name it is.
type Called = (SystemId, EntryKind, String, usize);

/// The entries of a file by what they are called.
#[derive(Debug, Default)]
pub(crate) struct KnownPlaces(Vec<(Called, EntryId)>);

impl KnownPlaces {
    pub fn of_file(catalog: &Catalog, file: &FileId) -> Self {
        Self::of_entries(catalog.of_file(file))
    }

    /// Those of every file.
    pub fn of_files(catalog: &Catalog) -> HashMap<FileId, Self> {
        let mut by_file: HashMap<&FileId, Vec<&Entry>> = HashMap::new();
        for entry in catalog.entries() {
            by_file.entry(entry.id.file()).or_default().push(entry);
        }
        let known = |(file, entries): (&FileId, Vec<&Entry>)| {
            (file.clone(), Self::of_entries(entries.into_iter()))
        };
        by_file.into_iter().map(known).collect()
    }

    fn of_entries<'e>(entries: impl Iterator<Item = &'e Entry>) -> Self {
        let mut counts: HashMap<(SystemId, EntryKind, &str), usize> = HashMap::new();
        let called = |entry: &'e Entry| {
            let count = counts.entry((entry.system, entry.kind, &entry.key)).or_default();
            *count += 1;
            let called = (entry.system, entry.kind, entry.key.clone(), *count);
            (called, entry.id.clone())
        };
        Self(entries.map(called).collect())
    }

    /// Where these entries are in the places that are known later. One that has another name at its
    /// place is the same.
    pub fn moved_to(self, later: Self) -> MovedEntries {
        let taken: HashSet<EntryId> = later.0.iter().map(|(_, id)| id.clone()).collect();
        let mut there: HashMap<Called, EntryId> = later.0.into_iter().collect();
        let (mut moved, mut lost) = (HashMap::new(), Vec::new());
        for (called, before) in self.0 {
            match there.remove(&called) {
                Some(after) if after == before => {}
                Some(after) => drop(moved.insert(before, Some(after))),
                None => lost.push(before),
            }
        }
        // What is left there is new, or called otherwise.
        let unclaimed: HashSet<EntryId> = there.into_values().collect();
        for before in lost {
            if taken.contains(&before) && !unclaimed.contains(&before) {
                moved.insert(before, None);
            }
        }
        MovedEntries(moved)
    }
}

/// Where entries went, by where they were.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MovedEntries(HashMap<EntryId, Option<EntryId>>);

impl MovedEntries {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether entries of a file have gone elsewhere.
    #[must_use]
    pub fn is_of_file(&self, file: &FileId) -> bool {
        self.0.keys().any(|id| id.file() == file)
    }

    /// What was found about entries, at where they are; nothing of those that are gone.
    #[must_use]
    pub fn follow_findings(&self, findings: &[Finding]) -> Option<Vec<Finding>> {
        let is_known = |id: &EntryId| self.0.contains_key(id);
        let is_about = |finding: &Finding| {
            let of_fixes = finding.fixes().flat_map(|fix| &fix.edits).map(|edit| &edit.entry);
            finding.site.entry.iter().chain(of_fixes).any(is_known)
        };
        findings.iter().any(is_about).then(|| {
            findings.iter().filter_map(|finding| self.follow_finding(finding.clone())).collect()
        })
    }

    fn follow_finding(&self, mut finding: Finding) -> Option<Finding> {
        if let Some(entry) = &finding.site.entry {
            finding.site.entry = Some(self.follow(entry)?);
        }
        for fix in finding.fix.iter_mut().chain(&mut finding.others) {
            for edit in &mut fix.edits {
                edit.entry = self.follow(&edit.entry)?;
            }
        }
        Some(finding)
    }

    /// How an entry is known now; `None`: it is gone, and its place is another one's.
    #[must_use]
    pub fn follow(&self, id: &EntryId) -> Option<EntryId> {
        self.0.get(id).map_or_else(|| Some(id.clone()), Clone::clone)
    }

    /// The same for what is kept of entries that are gone: an identity that no entry has.
    #[must_use]
    pub fn follow_or_nowhere(&self, id: &EntryId) -> EntryId {
        self.follow(id).unwrap_or_else(|| {
            let place = id.place();
            EntryId::new(EntryPlace { at: place.at.child("gone"), ..place.clone() })
        })
    }

    /// An entry that may be gone.
    pub fn follow_one(&self, id: &mut Option<EntryId>) {
        *id = id.take().and_then(|id| self.follow(&id));
    }

    /// What is kept by entries; that of entries which are gone goes.
    pub fn follow_keys<V>(&self, kept: &mut HashMap<EntryId, V>) {
        self.follow_keys_by(kept, |id| self.follow(id));
    }

    /// The same of keys that have an entry within.
    pub fn follow_keys_by<K: Eq + Hash, V>(
        &self,
        kept: &mut HashMap<K, V>,
        follow: impl Fn(&K) -> Option<K>,
    ) {
        if !self.is_empty() {
            let before = mem::take(kept).into_iter();
            *kept = before.filter_map(|(key, value)| Some((follow(&key)?, value))).collect();
        }
    }

    /// Entries in a row.
    pub fn follow_list<T>(&self, list: &mut Vec<T>, id: impl Fn(&mut T) -> &mut EntryId) {
        list.retain_mut(|item| match self.follow(id(item)) {
            Some(now) => {
                *id(item) = now;
                true
            }
            None => false,
        });
    }
}

/// The moves since the start; the oldest are not kept.
#[derive(Debug, Default)]
pub struct MoveLog {
    dropped: usize,
    list: Vec<MovedEntries>,
}

impl MoveLog {
    const KEPT: usize = 32;

    /// How many there were.
    #[must_use]
    pub fn count(&self) -> usize {
        self.dropped + self.list.len()
    }

    pub fn push(&mut self, moved: MovedEntries) {
        self.list.push(moved);
        if self.list.len() > Self::KEPT {
            self.list.remove(0);
            self.dropped += 1;
        }
    }

    /// Those after the first so many; `None` where some of these are not known any more.
    #[must_use]
    pub fn since(&self, count: usize) -> Option<&[MovedEntries]> {
        self.list.get(count.checked_sub(self.dropped)?..)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::pointer::Pointer;

    fn id(row: usize) -> EntryId {
        EntryId::new(EntryPlace::plain(
            FileId::new("list.json"),
            0,
            Pointer::root().child("tools").item(row),
        ))
    }

    fn known(names: &[&str]) -> KnownPlaces {
        let mut counts: HashMap<String, usize> = HashMap::new();
        let called = |(row, name): (usize, &&str)| {
            let count = counts.entry((*name).to_owned()).or_default();
            *count += 1;
            let system = crate::systems::table::every_system()[0].id();
            ((system, EntryKind::Tool, (*name).to_owned(), *count), id(row))
        };
        KnownPlaces(names.iter().enumerate().map(called).collect())
    }

    fn rows(before: &[&str], after: &[&str]) -> Vec<(usize, Option<usize>)> {
        let moved = known(before).moved_to(known(after));
        let row = |id: &EntryId| id.place().at.last().unwrap().parse().unwrap();
        let mut rows: Vec<_> =
            moved.0.iter().map(|(from, to)| (row(from), to.as_ref().map(row))).collect();
        rows.sort_unstable();
        rows
    }

    #[test]
    fn entries_are_followed_by_what_they_are_called() {
        assert_eq!(rows(&["a", "b"], &["a", "b", "c"]), []);
        assert_eq!(rows(&["a", "b"], &["new", "a", "b"]), [(0, Some(1)), (1, Some(2))]);
        assert_eq!(rows(&["a", "b", "c"], &["b", "c"]), [(0, None), (1, Some(0)), (2, Some(1))]);
        // Another name at its place.
        assert_eq!(rows(&["a", "b"], &["a", "x"]), []);
        assert_eq!(rows(&["a", "b"], &["x", "a"]), [(0, Some(1)), (1, None)]);
        // Its place is nobody's.
        assert_eq!(rows(&["a", "b"], &["a"]), []);
        assert_eq!(
            rows(&["a", "a", "b"], &["b", "a", "a"]),
            [(0, Some(1)), (1, Some(2)), (2, Some(0))]
        );
    }
}
