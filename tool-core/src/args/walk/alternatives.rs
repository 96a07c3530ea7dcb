//! `anyOf` and `oneOf`: which of several schemas a value is meant for.

use super::object::Peek;
use super::scalar::in_other_case;
use super::tried::Fit;
use super::{Path, Walker, Way};
use crate::args::describe;
use crate::args::input::{Halt, Input, Kind, Members, Text, Token};
use crate::args::plan::{Alternatives, Choice, NodeId, Own};
use crate::args::quote::Quote;
use crate::error::ArgumentFault;

/// What a value says of the branch that it is meant for.
enum Chosen {
    Branch(NodeId),
    /// None, and this is what is wrong.
    Fault(ArgumentFault),
    /// Not enough: they have to be tried.
    Open,
}

impl Walker<'_> {
    pub(super) fn alternatives<'s, I: Input<'s>>(
        &mut self,
        alternatives: &Alternatives,
        input: I,
        path: &Path<'_>,
        depth: usize,
    ) -> Result<(), Halt> {
        let plan = self.plan;
        let kind = input.kind()?;
        let start = input.mark();
        if kind == Kind::String
            && let Some(fault) = self.bare_form(alternatives, input, path)?
        {
            self.findings.fault(fault);
            return self.anything(input, path, depth);
        }
        let mut meant = alternatives.branches.iter().copied().filter(|branch| plan.node(*branch).admits.meets(kind));
        let chosen = match (meant.next(), meant.next(), &alternatives.choice) {
            (None, ..) => {
                let (token, quote) = (input.open()?, self.quote(path));
                let expected = || describe::any_of(plan, alternatives.branches.iter().copied());
                let words = self.words(|| format!("expected {}, got {}", expected(), quote.got(&token)));
                Chosen::Fault(ArgumentFault::new(self.path(path), words))
            }
            (Some(only), None, _) => Chosen::Branch(only),
            (Some(_), Some(_), Some(choice)) if kind == Kind::Object => self.choose(choice, input, path, depth)?,
            _ => Chosen::Open,
        };
        self.rewind(input, start)?;
        match chosen {
            Chosen::Branch(branch) => self.linked(branch, input, path, depth),
            Chosen::Fault(fault) => {
                let Way::Careful(_) = self.way else { return Err(Halt::Found) };
                self.findings.fault(fault);
                self.anything(input, path, depth)
            }
            Chosen::Open => {
                let read = self.within_alternatives(|walker| walker.try_all(alternatives, input, path, depth));
                if read == Err(Halt::TooManyTries) && self.tries == 0 {
                    self.gave_up_at = self.written(path);
                }
                read
            }
        }
    }

    /// Tells the branch from an object's tag, or from its keys.
    fn choose<'s, I: Input<'s>>(
        &mut self,
        choice: &Choice,
        input: I,
        path: &Path<'_>,
        depth: usize,
    ) -> Result<Chosen, Halt> {
        let Token::Object(members) = input.open()? else { return Ok(Chosen::Open) };
        let depth = self.deeper(depth)?;
        match choice {
            Choice::Tag { name, values } => {
                let here = Path::Key(path, Text::new(name, false));
                let quote = self.quote(&here);
                let mut tag = None;
                self.peek_members(members, depth, |key, value| {
                    if !key.is(name) {
                        return Ok(Peek::Pass);
                    }
                    tag = Some(value.open()?.scalar(quote));
                    Ok(Peek::Done)
                })?;
                let known = || values.iter().map(|(value, _)| value.as_str());
                let message = match tag {
                    None => self.words(|| format!("required, but missing; one of {}", describe::listed(known()))),
                    Some(Scalar::String(tag)) => {
                        let branch = values.iter().find(|(value, _)| tag.is(value));
                        let meant = || {
                            let meant = self.is_lenient().then(|| in_other_case(known(), &tag.decoded())).flatten()?;
                            values.iter().find(|(value, _)| value == meant)
                        };
                        if let Some((_, branch)) = branch.or_else(meant) {
                            return Ok(Chosen::Branch(*branch));
                        }
                        self.words(|| quote.unknown_tag(&tag.decoded(), &known().collect::<Vec<_>>()))
                    }
                    Some(Scalar::Other(got)) => {
                        self.words(|| format!("expected one of {}, got {got}", describe::listed(known())))
                    }
                };
                Ok(Chosen::Fault(ArgumentFault::new(self.path(&here), message)))
            }
            Choice::Key(keys) => self.choose_by_key(keys, members, path, depth),
        }
    }

    /// Tells the branch from the key that no other one has.
    fn choose_by_key<'s, I: Input<'s>, M: Members<'s, I>>(
        &mut self,
        keys: &[Own],
        members: M,
        path: &Path<'_>,
        depth: usize,
    ) -> Result<Chosen, Halt> {
        let mut given: Option<&Own> = None;
        let mut null: Vec<&Own> = Vec::new();
        let mut several = false;
        let skips_null = self.is_lenient();
        self.peek_members(members, depth, |key, value| {
            if let Some(named) = keys.iter().find(|own| key.is(&own.name)) {
                // A `null` may stand for the absence of another form's property.
                if skips_null && value.kind()? == Kind::Null {
                    null.push(named);
                    return Ok(Peek::Pass);
                }
                several |= given.is_some_and(|given| given.branch != named.branch);
                given = Some(named);
            }
            Ok(Peek::Pass)
        })?;
        if given.is_none() && null.iter().any(|own| own.admits_null) {
            null.retain(|own| own.admits_null);
        }
        let names = |of: &[&Own]| describe::listed(of.iter().map(|own| own.name.as_str()));
        let message = match (given, null.as_slice()) {
            (Some(_), _) if several => return Ok(Chosen::Open),
            (Some(own), _) => return Ok(Chosen::Branch(own.branch)),
            (None, [own]) => return Ok(Chosen::Branch(own.branch)),
            (None, []) => {
                self.words(|| format!("expected an object with one of {}", names(&keys.iter().collect::<Vec<_>>())))
            }
            (None, several) => {
                self.words(|| format!("one of {} is meant, and each is null; leave out the others", names(several)))
            }
        };
        Ok(Chosen::Fault(ArgumentFault::new(self.path(path), message)))
    }

    /// Tries each branch in turn.
    fn try_all<'s, I: Input<'s>>(
        &mut self,
        alternatives: &Alternatives,
        input: I,
        path: &Path<'_>,
        depth: usize,
    ) -> Result<(), Halt> {
        let plan = self.plan;
        let kind = input.kind()?;
        let start = input.mark();
        let meant = || alternatives.branches.iter().copied().filter(|branch| plan.node(*branch).admits.meets(kind));
        // What is clean is valid as well. That a form is valid and not clean helps nobody who wants a clean one, unless to
        // know that there are two.
        let (wanted, asks_if_valid) = match self.way {
            Way::Clean => (Way::Clean, alternatives.exactly_one),
            Way::Valid => (Way::Valid, false),
            Way::Repair | Way::Careful(_) => (Way::Clean, true),
        };
        let (mut fits, mut valid, mut count) = (None, None, 0);
        for branch in meant() {
            if let Some(fit) = self.try_out(wanted, branch, input, path, depth)? {
                count += 1;
                fits = Some(fit);
                if !alternatives.exactly_one {
                    break;
                }
                continue;
            }
            if asks_if_valid && self.try_out(Way::Valid, branch, input, path, depth)?.is_some() {
                count += 1;
                valid = valid.or(Some(branch));
            }
        }
        if alternatives.exactly_one && count > 1 {
            self.fault(path, || "fits more than one of the allowed forms, and only one may".to_owned())?;
            return self.anything(input, path, depth);
        }
        if let Some(fit) = fits {
            self.take(fit, input);
            return Ok(());
        }
        if let Some(branch) = valid {
            return self.read_valid(branch, input, path, depth);
        }
        if self.is_lenient()
            && let Some(fit) = self.the_one_repair(meant(), input, path, depth)?
        {
            self.take(fit, input);
            return Ok(());
        }
        let Way::Careful(_) = self.way else { return Err(Halt::Found) };
        if let Some(branch) = self.meant_by_keys(meant(), input, path, depth)? {
            return self.linked(branch, input, path, depth);
        }
        let (token, quote) = (input.open()?, self.quote(path));
        let words =
            || format!("expected {}, got {} that fits none", describe::any_of(plan, meant()), quote.got(&token));
        self.fault(path, words)?;
        self.rewind(input, start)?;
        self.anything(input, path, depth)
    }

    /// Of branches that an object does not fit, the only one that it would fit by its keys: what is wrong is within.
    fn meant_by_keys<'s, I: Input<'s>>(
        &mut self,
        branches: impl Iterator<Item = NodeId>,
        input: I,
        path: &Path<'_>,
        depth: usize,
    ) -> Result<Option<NodeId>, Halt> {
        let start = input.mark();
        let Token::Object(members) = input.open()? else { return self.rewind(input, start).map(|()| None) };
        let mut keys = Vec::new();
        let within = self.deeper(depth)?;
        self.peek_members(members, within, |key, _| {
            keys.push(key);
            Ok(Peek::Pass)
        })?;
        self.rewind(input, start)?;
        let plan = self.plan;
        let mut named =
            branches.filter(|branch| plan.object_of(*branch).is_some_and(|rules| rules.has_the_keys(&keys)));
        let (Some(only), None) = (named.next(), named.next()) else { return Ok(None) };
        // Where it can be made to fit, so can another one, or it would have been.
        let is_wrong = !self.is_lenient() || self.try_out(Way::Repair, only, input, path, depth)?.is_none();
        Ok(Some(only).filter(|_| is_wrong))
    }

    /// Reads a value under the branch for which it is valid, while it is clean for none.
    fn read_valid<'s, I: Input<'s>>(
        &mut self,
        branch: NodeId,
        input: I,
        path: &Path<'_>,
        depth: usize,
    ) -> Result<(), Halt> {
        match self.way {
            Way::Careful(_) => self.linked(branch, input, path, depth),
            Way::Clean | Way::Valid => Err(Halt::Found),
            Way::Repair => match self.try_out(Way::Repair, branch, input, path, depth)? {
                Some(fit) => {
                    self.take(fit, input);
                    Ok(())
                }
                None => Err(Halt::Found),
            },
        }
    }

    /// The repairs of the only branch that the value can be made to fit, and where the value ends; nothing where there are
    /// two ways to read it.
    fn the_one_repair<'s, I: Input<'s>>(
        &mut self,
        branches: impl Iterator<Item = NodeId>,
        input: I,
        path: &Path<'_>,
        depth: usize,
    ) -> Result<Option<Fit>, Halt> {
        let mut only: Option<Fit> = None;
        for branch in branches {
            let Some(fit) = self.try_out(Way::Repair, branch, input, path, depth)? else { continue };
            match &only {
                // Nulls that stand for nothing say nothing: the decoder takes the first form then, as it does without them.
                Some(other) if other.only_absent() && fit.only_absent() => {}
                Some(other) if other.edits != fit.edits => return Ok(None),
                _ => only = Some(fit),
            }
        }
        Ok(only)
    }

    /// Takes a value for what it was tried as, and goes on behind it. (A parsed value has no place to go to: it is behind us
    /// as soon as it was looked at.)
    fn take<'s, I: Input<'s>>(&mut self, fit: Fit, input: I) {
        self.findings.edits.extend(fit.edits);
        input.rewind(fit.end);
    }

    /// Words are only made where they are kept.
    fn words(&self, words: impl FnOnce() -> String) -> String {
        let are_kept = matches!(self.way, Way::Careful(_)) && !self.findings.is_full();
        if are_kept { words() } else { String::new() }
    }

    fn path(&self, path: &Path<'_>) -> String {
        self.words(|| self.written(path))
    }
}

/// A tag, as far as it is one.
enum Scalar<'s> {
    String(Text<'s>),
    Other(String),
}

impl<'s, E, M> Token<'s, E, M> {
    fn scalar(self, quote: Quote<'_>) -> Scalar<'s> {
        match self {
            Token::String(text) => Scalar::String(text),
            other => Scalar::Other(quote.got(&other)),
        }
    }
}
