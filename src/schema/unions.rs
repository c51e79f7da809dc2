//! Merging `anyOf`, `oneOf` and `enum`: what is a choice of values, what a choice of shapes, and
//! what neither.

use std::sync::Arc;

use super::{
    equal::values_equal,
    merge::{Merge, Openness},
    node::{Choice, Choices, Node, NodeKey, PlaceId, Types, Union},
    tree::Schema,
};

impl Merge<'_> {
    /// Narrows what may be chosen to these.
    pub(super) fn narrow_choices(&mut self, mut options: Vec<Choice>, openness: Openness) {
        let open = openness == Openness::Open;
        if !open && options.iter().any(|option| option.value.is_null()) {
            options.retain(|option| !option.value.is_null());
            self.node.nullable = true;
        }
        let choices = match self.node.choices.as_deref() {
            None => Choices { options, open },
            Some(known) if known.open && !open => Choices { options, open },
            Some(known) if open => known.clone(),
            Some(known) => {
                let mut known = known.clone();
                known.options.retain(|option| {
                    options.iter().any(|other| values_equal(&other.value, &option.value))
                });
                known
            }
        };
        self.node.choices = Some(Arc::new(choices));
    }

    /// Takes out of a union what is no choice of shape: null, single branches, constants, mere
    /// rules.
    pub(super) fn merge_union(&mut self, place: PlaceId, length: usize, tag: Option<&str>) {
        if self.node.key.settled.contains(&place) {
            if let Some(union) = self.schema.shape_union(place, length).filter(|_| tag.is_none()) {
                self.offered.extend(union.branches.into_iter().filter(|_| union.inclusive));
            }
            return;
        }
        let Sorted { branches, nullable } = Sorted::from_union(self.schema, place, length);
        self.node.nullable |= nullable;
        match branches {
            Branches::None if self.node.nullable => {
                self.node.types = self.node.types.intersection(Types::NULL);
                self.node.typed = true;
            }
            Branches::None if length > 0 => self.node.never = true,
            Branches::None | Branches::Rules => {}
            Branches::One(only) => self.merge_place(only),
            Branches::Values(options, openness) => self.narrow_choices(options, openness),
            Branches::Shapes(branches, common) => {
                let union = self.schema.build_union(place, branches, tag.map(Arc::from).or(common));
                self.node.unions.push(union);
            }
        }
    }

    /// Offers the members of the branches that hold as well, where further members are allowed.
    pub(super) fn offer_members(&mut self) {
        for branch in std::mem::take(&mut self.offered) {
            let Some(node) = self
                .schema
                .known_node(&NodeKey::from_place(branch))
                .filter(|_| !self.node.object.closed)
            else {
                continue;
            };
            for property in &node.object.properties {
                self.node.object.offer_member(property);
            }
        }
    }
}

impl Schema {
    /// The union at a place, where it is a choice of shapes.
    pub(super) fn shape_union(&self, place: PlaceId, length: usize) -> Option<Union> {
        match Sorted::from_union(self, place, length).branches {
            Branches::Shapes(branches, tag) => Some(self.build_union(place, branches, tag)),
            _ => None,
        }
    }

    /// An `anyOf` of objects without a member that distinguishes them is inclusive; what else it
    /// holds is no matter.
    fn build_union(&self, place: PlaceId, branches: Vec<PlaceId>, tag: Option<Arc<str>>) -> Union {
        let is_any = self.pointer(place).is_some_and(|place| place.ends_with("/anyOf"));
        let nodes: Vec<Arc<Node>> = branches
            .iter()
            .filter_map(|branch| self.known_node(&NodeKey::from_place(*branch)))
            .collect();
        let is_object = |node: &&Arc<Node>| {
            node.shown_types() == Types::OBJECT && !node.object.properties.is_empty()
        };
        let objects: Vec<&Node> = nodes.iter().filter(is_object).map(AsRef::as_ref).collect();
        let inclusive =
            is_any && tag.is_none() && objects.len() > 1 && common_tag(self, &objects).is_none();
        Union { place, branches, tag, inclusive, of_types: false }
    }
}

/// What the branches of a union come to.
struct Sorted {
    branches: Branches,
    /// One of the branches is null.
    nullable: bool,
}

enum Branches {
    None,
    One(PlaceId),
    Values(Vec<Choice>, Openness),
    /// Rules for what is elsewhere, such as which members are required.
    Rules,
    /// With the member that distinguishes them.
    Shapes(Vec<PlaceId>, Option<Arc<str>>),
}

impl Sorted {
    fn from_union(schema: &Schema, place: PlaceId, length: usize) -> Self {
        let (mut places, mut nodes, mut nullable) = (Vec::new(), Vec::new(), false);
        for index in 0..length {
            let branch = schema.child_place(place, &index.to_string());
            match schema.known_node(&NodeKey::from_place(branch)) {
                Some(node) if node.never => {}
                Some(node) if node.is_null() => nullable = true,
                node => {
                    places.push(branch);
                    nodes.push(node);
                }
            }
        }
        let known = nodes.iter().map(Option::as_deref).collect::<Option<Vec<_>>>();
        let branches = match (places.as_slice(), known) {
            ([], _) => Branches::None,
            ([only], _) => Branches::One(*only),
            // A branch that is being made is this very union again.
            (_, None) => Branches::Shapes(places, None),
            (_, Some(nodes)) => match titled_constants(&nodes) {
                Some((options, openness)) => Branches::Values(options, openness),
                None if nodes.iter().all(|node| node.is_bare()) => Branches::Rules,
                None => Branches::Shapes(places, common_tag(schema, &nodes)),
            },
        };
        Self { branches, nullable }
    }
}

/// The member that is a constant in each branch.
fn common_tag(schema: &Schema, branches: &[&Node]) -> Option<Arc<str>> {
    let constant = |node: &Node, name: &str| {
        let property = node.object.property(name)?;
        schema.known_node(&property.node)?.constant.clone()
    };
    let (first, _) = branches.split_first()?;
    let names = first.object.properties.iter().map(|property| &property.name);
    names
        .into_iter()
        .find(|name| branches.iter().all(|branch| constant(branch, name).is_some()))
        .cloned()
}

/// The choices that branches come to when each is a value, a list of values, or any text.
fn titled_constants(branches: &[&Node]) -> Option<(Vec<Choice>, Openness)> {
    let mut options = Vec::new();
    let mut openness = Openness::Closed;
    for node in branches {
        if !node.unions.is_empty() || !node.conditions.is_empty() {
            return None;
        }
        if let Some(constant) = &node.constant {
            options.push(Choice {
                value: constant.clone(),
                title: node.title.clone(),
                help: node.description.clone(),
            });
        } else if let Some(choices) = &node.choices {
            options.extend(choices.options.iter().cloned());
            openness = if choices.open { Openness::Open } else { openness };
        } else if node.typed && node.types == Types::TEXT {
            openness = Openness::Open;
        } else {
            return None;
        }
    }
    let texts = options.iter().all(|option| option.value.is_string());
    (!options.is_empty() && (openness == Openness::Closed || texts)).then_some((options, openness))
}
