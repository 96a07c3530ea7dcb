//! `anyOf` and `oneOf`: which of several schemas a value is meant for.

use super::object::Peek;
use super::scalar::in_other_case;
use super::{Path, Walker, Way};
use crate::args::describe;
use crate::args::findings::Findings;
use crate::args::input::{Halt, Input, Kind, Text, Token};
use crate::args::plan::{Alternatives, Choice, NodeId};
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
            Chosen::Open => self.try_all(alternatives, input, path, depth),
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
            Choice::Key(keys) => {
                let mut branch = None;
                let mut branch_of_null = None;
                let mut several = false;
                let skips_null = self.is_lenient();
                self.peek_members(members, depth, |key, value| {
                    if let Some((_, named)) = keys.iter().find(|(name, _)| key.is(name)) {
                        // A `null` may stand for the absence of another form's property.
                        if skips_null && value.kind()? == Kind::Null {
                            branch_of_null = branch_of_null.or(Some(*named));
                            return Ok(Peek::Pass);
                        }
                        several |= branch.is_some_and(|branch| branch != *named);
                        branch = Some(*named);
                    }
                    Ok(Peek::Pass)
                })?;
                match branch.or(branch_of_null) {
                    Some(_) if several => Ok(Chosen::Open),
                    Some(branch) => Ok(Chosen::Branch(branch)),
                    None => {
                        let names = || describe::listed(keys.iter().map(|(name, _)| name.as_str()));
                        let message = self.words(|| format!("expected an object with one of {}", names()));
                        Ok(Chosen::Fault(ArgumentFault::new(self.path(path), message)))
                    }
                }
            }
        }
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
        let (mut clean, mut valid, mut count) = (None, None, 0);
        for branch in meant() {
            self.rewind(input, start)?;
            if self.try_out(Way::Clean, branch, input, path, depth)? {
                count += 1;
                clean = Some(input.mark());
                if !alternatives.exactly_one {
                    break;
                }
                continue;
            }
            self.rewind(input, start)?;
            if self.try_out(Way::Valid, branch, input, path, depth)? {
                count += 1;
                valid = valid.or(Some(branch));
            }
        }
        self.rewind(input, start)?;
        if alternatives.exactly_one && count > 1 {
            self.fault(path, || "fits more than one of the allowed forms, and only one may".to_owned())?;
            return self.anything(input, path, depth);
        }
        if let Some(end) = clean {
            // A parsed value has no place to go to: it is behind us as soon as it was looked at.
            input.rewind(end);
            return Ok(());
        }
        if let Some(branch) = valid {
            return self.linked(branch, input, path, depth);
        }
        if self.is_lenient()
            && let Some((repaired, end)) = self.the_one_repair(meant(), input, path, depth)?
        {
            self.findings.add(repaired);
            input.rewind(end); // a later form may have stopped somewhere within
            return Ok(());
        }
        self.rewind(input, start)?;
        if let Way::Careful(_) = self.way {
            let (token, quote) = (input.open()?, self.quote(path));
            let words =
                || format!("expected {}, got {} that fits none", describe::any_of(plan, meant()), quote.got(&token));
            self.fault(path, words)?;
            self.rewind(input, start)?;
        } else {
            return Err(Halt::Found);
        }
        self.anything(input, path, depth)
    }

    /// The repairs of the only branch that the value can be made to fit, and where the value ends; nothing where there are
    /// two ways to read it.
    fn the_one_repair<'s, I: Input<'s>>(
        &mut self,
        branches: impl Iterator<Item = NodeId>,
        input: I,
        path: &Path<'_>,
        depth: usize,
    ) -> Result<Option<(Findings, usize)>, Halt> {
        let start = input.mark();
        let mut only: Option<(Findings, usize)> = None;
        for branch in branches {
            self.rewind(input, start)?;
            let outside = std::mem::take(&mut self.findings);
            let fits = self.try_out(Way::Repair, branch, input, path, depth);
            let inside = std::mem::replace(&mut self.findings, outside);
            if !fits? {
                continue;
            }
            match &only {
                // Nulls that stand for nothing say nothing: the decoder takes the first form then, as it does without them.
                Some((other, _)) if other.only_absent() && inside.only_absent() => {}
                Some((other, _)) if *other != inside => return Ok(None),
                _ => only = Some((inside, input.mark())),
            }
        }
        Ok(only)
    }

    /// Whether a value is clean, or valid, or can be made so, under `id`.
    pub(super) fn try_out<'s, I: Input<'s>>(
        &mut self,
        way: Way,
        id: NodeId,
        input: I,
        path: &Path<'_>,
        depth: usize,
    ) -> Result<bool, Halt> {
        let (outer, tries) = (std::mem::replace(&mut self.way, way), self.tries);
        self.tries += 1;
        let read = self.linked(id, input, path, depth);
        (self.way, self.tries) = (outer, tries); // whatever a try leaves behind where it stops
        match read {
            Ok(()) => Ok(true),
            Err(Halt::Found) => Ok(false),
            Err(halt) => Err(halt),
        }
    }

    /// Words are only made where they are kept.
    fn words(&self, words: impl FnOnce() -> String) -> String {
        if matches!(self.way, Way::Careful(_)) { words() } else { String::new() }
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
