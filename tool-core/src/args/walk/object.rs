//! Objects: their properties, and keys that are given twice.

use std::borrow::Cow;
use std::collections::HashSet;

use super::{Path, Walker, Way};
use crate::args::describe;
use crate::args::input::{Halt, Input, Kind, Members, Text};
use crate::args::mode::RepairRule;
use crate::args::plan::{Additional, ObjectRules};

impl Walker<'_> {
    pub(super) fn object<'s, I: Input<'s>, M: Members<'s, I>>(
        &mut self,
        rules: &ObjectRules,
        mut members: M,
        path: &Path<'_>,
        depth: usize,
    ) -> Result<(), Halt> {
        let mut given = Given::default();
        let mut others = Keys::default();
        let (mut count, mut next) = (0_u64, 0);
        while let Some((key, start, value)) = members.next()? {
            count += 1;
            self.spend(key.weight())?;
            let here = Path::Key(path, key);
            let known = rules.find(key, next);
            next = known.map_or(next, |position| position + 1);
            let again = match known {
                Some(position) => !given.insert(position),
                None => !others.insert(key),
            };
            if again {
                self.given_again(&here)?;
                self.anything(value, &here, depth)?;
                continue;
            }
            if let Some(property) = known.map(|position| &rules.properties[position])
                && self.is_lenient()
                && !property.required
                && !property.admits_null
                && value.kind()? == Kind::Null
            {
                value.open()?;
                self.edit((start, value.mark()), || None, &here, RepairRule::NullAsAbsent)?;
                continue;
            }
            if known.is_none()
                && self.is_lenient()
                && rules.of_all_forms.binary_search_by(|name| name.as_str().cmp(&key.decoded())).is_ok()
                && value.kind()? == Kind::Null
                && !self.plan.admits_null(rules, &key.decoded())
            {
                value.open()?;
                self.edit((start, value.mark()), || None, &here, RepairRule::NullAsAbsent)?;
                continue;
            }
            self.name(rules, key, &here)?;
            self.member(rules, known, key, value, &here, depth)?;
        }
        self.complete(rules, &given, &others, count, path)
    }

    /// Reads the value of one member under each schema that is meant for it.
    fn member<'s, I: Input<'s>>(
        &mut self,
        rules: &ObjectRules,
        known: Option<usize>,
        key: Text<'_>,
        value: I,
        here: &Path<'_>,
        depth: usize,
    ) -> Result<(), Halt> {
        let property = known.map(|position| rules.properties[position].node);
        if rules.patterns.is_empty() {
            return match (property, rules.additional) {
                (Some(node), _) | (None, Additional::Schema(node)) => self.value(node, value, here, depth),
                (None, Additional::Anything) => self.anything(value, here, depth),
                (None, Additional::Refused) => self.unknown(rules, key, value, here, depth),
            };
        }
        let decoded = key.decoded();
        let matching = rules.patterns.iter().filter(|(pattern, _)| pattern.is_match(&decoded)).map(|(_, node)| *node);
        let start = value.mark();
        let mut read = false;
        for node in property.into_iter().chain(matching) {
            let again = self.again(&mut read, value, start)?;
            self.linked(node, value, here, depth)?;
            self.tries -= again;
        }
        match rules.additional {
            _ if read => Ok(()),
            Additional::Schema(node) => self.value(node, value, here, depth),
            Additional::Anything => self.anything(value, here, depth),
            Additional::Refused => self.unknown(rules, key, value, here, depth),
        }
    }

    fn unknown<'s, I: Input<'s>>(
        &mut self,
        rules: &ObjectRules,
        key: Text<'_>,
        value: I,
        here: &Path<'_>,
        depth: usize,
    ) -> Result<(), Halt> {
        let quote = self.quote(here);
        self.fault(here, || {
            let names: Vec<&str> = rules.properties.iter().map(|property| property.name.as_str()).collect();
            let patterns: Vec<&str> = rules.patterns.iter().map(|(pattern, _)| pattern.as_str()).collect();
            quote.unknown_property(&key.decoded(), &names, &patterns)
        })?;
        self.anything(value, here, depth)
    }

    /// `propertyNames`: the key, read as a value of its own.
    fn name(&mut self, rules: &ObjectRules, key: Text<'_>, here: &Path<'_>) -> Result<(), Halt> {
        let Some(names) = rules.names else { return Ok(()) };
        let name = serde_json::Value::String(key.decoded().into_owned());
        let plan = self.plan;
        let fits = self.elsewhere(|walker| walker.try_out(Way::Valid, names, &name, here, 0))?;
        if fits.is_some() {
            return Ok(());
        }
        self.fault(here, || format!("the name of this property has to be {}", describe::expected(plan, names)))
    }

    /// What can only be said of an object once it is read to its end.
    pub(super) fn complete(
        &mut self,
        rules: &ObjectRules,
        given: &Given,
        others: &Keys<'_>,
        count: u64,
        path: &Path<'_>,
    ) -> Result<(), Halt> {
        let plan = self.plan;
        for (position, property) in rules.properties.iter().enumerate() {
            if property.required && !given.holds(position) {
                let here = Path::Key(path, Text::new(&property.name, false));
                self.fault(&here, || describe::missing(plan, property.node))?;
            }
        }
        for name in &rules.required_others {
            if !others.holds(Text::new(name, false)) {
                self.fault(&Path::Key(path, Text::new(name, false)), || "required, but missing".to_owned())?;
            }
        }
        let (least, most) = (rules.min_properties, rules.max_properties);
        if least.is_some_and(|least| count < least) || most.is_some_and(|most| count > most) {
            let expected = describe::counted("object", "property", least, most);
            let got = self.quote(path).count(Kind::Object, count);
            self.fault(path, || format!("expected {expected}, got {got}"))?;
        }
        Ok(())
    }

    /// Looks at the members of an object until `visit` has what it wants; what it does not read itself is passed.
    pub(super) fn peek_members<'s, I: Input<'s>, M: Members<'s, I>>(
        &mut self,
        mut members: M,
        depth: usize,
        mut visit: impl FnMut(Text<'s>, I) -> Result<Peek, Halt>,
    ) -> Result<(), Halt> {
        self.tries += 1; // they will be read again
        while let Some((key, _, value)) = members.next()? {
            match visit(key, value)? {
                Peek::Done => break,
                Peek::Pass => self.pass(value, depth)?,
            }
        }
        self.tries -= 1;
        Ok(())
    }

    /// Reads past a value whose faults somebody else finds.
    fn pass<'s, I: Input<'s>>(&mut self, value: I, depth: usize) -> Result<(), Halt> {
        let findings = std::mem::take(&mut self.findings);
        let passed = self.anything(value, &Path::Root, depth);
        self.findings = findings;
        passed
    }
}

/// Whether what was looked for is found.
pub(super) enum Peek {
    Done,
    Pass,
}

/// Which properties were given, by position.
#[derive(Default)]
pub(super) struct Given {
    first: u64,
    /// Those from position 64 on.
    more: Option<HashSet<usize>>,
}

impl Given {
    /// Whether it is new.
    pub(super) fn insert(&mut self, position: usize) -> bool {
        if position >= 64 {
            return self.more.get_or_insert_default().insert(position);
        }
        let bit = 1 << position;
        let is_new = self.first & bit == 0;
        self.first |= bit;
        is_new
    }

    fn holds(&self, position: usize) -> bool {
        if position >= 64 {
            return self.more.as_ref().is_some_and(|more| more.contains(&position));
        }
        self.first & (1 << position) != 0
    }
}

/// The keys of an object that no schema names, each given once. The first ones are held on the stack.
#[derive(Default)]
pub(super) struct Keys<'s> {
    /// Not even made for the many objects that have none.
    few: Option<[Text<'s>; Keys::FEW]>,
    count: usize,
    many: Option<HashSet<Cow<'s, str>>>,
}

impl<'s> Keys<'s> {
    const FEW: usize = 12;

    /// Whether it is new.
    pub(super) fn insert(&mut self, key: Text<'s>) -> bool {
        let few = self.few.get_or_insert([Text::new("", false); Keys::FEW]);
        if few[..self.count].iter().any(|known| known.same(key)) {
            return false;
        }
        if let Some(free) = few.get_mut(self.count) {
            *free = key;
            self.count += 1;
            return true;
        }
        self.many.get_or_insert_default().insert(key.decoded())
    }

    fn holds(&self, key: Text<'_>) -> bool {
        self.few.iter().flatten().take(self.count).any(|known| known.same(key))
            || self.many.as_ref().is_some_and(|many| many.contains(key.decoded().as_ref()))
    }
}
