//! Templates as instructions of [`minijinja`], with bounds put into them. The engine charges fuel for
//! steps, letters and items, but not for what is within values: comparing, printing or dropping a list
//! whose items share their items can take longer than anyone waits. So each value that is put together
//! or handed on is weighed first ([`super::weight`]), and what Python does otherwise is done by
//! [`super::operators`].

use std::collections::BTreeMap;

use minijinja::{
    AutoEscape, Environment, Error, Value,
    machinery::{CodeGenerator, Instruction, Instructions, ast, eval, make_string_output, parse},
};

use super::{methods::is_any_method, operators, series, weight};

/// The name of the one template that there is at a time.
const TEMPLATE: &str = "prompt";

/// What a template makes of values.
///
/// # Errors
/// What is wrong with the template, or not rendered here.
pub(super) fn render<'e>(
    environment: &'e Environment<'e>,
    text: &'e str,
    values: Value,
) -> Result<String, Error> {
    let (instructions, blocks) = compile(&read(environment, text)?, text);
    let mut made = String::new();
    let mut out = make_string_output(&mut made);
    eval(environment, &instructions, values, &blocks, &mut out, AutoEscape::None)?;
    Ok(made)
}

/// The tree of a template.
///
/// # Errors
/// It is none.
pub(super) fn read<'t>(
    environment: &Environment<'_>,
    text: &'t str,
) -> Result<ast::Stmt<'t>, Error> {
    parse(text, TEMPLATE, environment.syntax().clone())
}

/// Those of a template, and of its blocks by their names.
type Compiled<'t> = (Instructions<'t>, BTreeMap<&'t str, Instructions<'t>>);

fn compile<'t>(tree: &ast::Stmt<'t>, text: &'t str) -> Compiled<'t> {
    let mut generator = CodeGenerator::new(TEMPLATE, text);
    generator.compile_stmt(tree);
    let (instructions, blocks) = generator.finish();
    let blocks = blocks.iter().map(|(name, block)| (*name, bounded(block))).collect();
    (bounded(&instructions), blocks)
}

/// The same with the bounds, and jumps to where their targets are now.
fn bounded<'t>(old: &Instructions<'t>) -> Instructions<'t> {
    let mut new = Instructions::new(old.name(), old.source());
    let (mut places, mut count) = (Vec::new(), 0_u32);
    for (at, step) in (0..).map_while(|at| Some((at, old.get(at)?))) {
        places.push(count);
        let line = old.get_line(at).map(|line| u16::try_from(line).unwrap_or(u16::MAX));
        for step in bounded_step(step) {
            match line {
                Some(line) => new.add_with_line(step, line),
                None => new.add(step),
            };
            count += 1;
        }
    }
    places.push(count);
    for at in 0..count {
        if let Some(target) = new.get_mut(at).and_then(jump_target)
            && let Some(place) = usize::try_from(*target).ok().and_then(|old| places.get(old))
        {
            *target = *place;
        }
    }
    new
}

fn jump_target<'i>(step: &'i mut Instruction<'_>) -> Option<&'i mut u32> {
    match step {
        Instruction::Jump(target)
        | Instruction::JumpIfFalse(target)
        | Instruction::JumpIfFalseOrPop(target)
        | Instruction::JumpIfTrueOrPop(target)
        | Instruction::Iterate(target)
        | Instruction::BuildMacro(_, target, _) => Some(target),
        _ => None,
    }
}

/// A filter on this many values at the top of the stack.
fn apply(name: &'static str, count: u16) -> Instruction<'static> {
    Instruction::ApplyFilter(name, Some(count), u8::MAX)
}

/// What is done in the place of a step.
fn bounded_step<'t>(step: &Instruction<'t>) -> Vec<Instruction<'t>> {
    use Instruction as Step;

    let weigh = || apply(weight::WEIGH, 1);
    if let Some(operator) = operators::of_step(step) {
        return vec![apply(operator, 2)];
    }
    let whole = step.clone();
    match step {
        // Each text beside one that is safe HTML is made so.
        Step::Add => {
            let beside = || [apply(operators::KEEP, 1), Step::Swap, apply(operators::BESIDE, 1)];
            beside().into_iter().chain(beside()).chain([whole, weigh()]).collect()
        }
        Step::Mul => {
            let checked = || [apply(operators::REPEATED, 1), Step::Swap];
            checked().into_iter().chain(checked()).chain([whole, weigh()]).collect()
        }
        Step::Slice => vec![apply(operators::SLICE, 4), weigh()],
        Step::BuildList(_) | Step::BuildTuple(_) => vec![whole, weigh()],
        Step::BuildMap(pairs) => {
            let Some(count) = u16::try_from(pairs * 2).ok().filter(|count| *count > 0) else {
                return vec![whole];
            };
            let unpack = [Step::UnpackLists(1), Step::DiscardTop];
            let pairs = [apply(operators::PAIRS, count)].into_iter().chain(unpack);
            pairs.chain([whole, weigh()]).collect()
        }
        // The operand between two comparisons: `a < b < c`.
        Step::CompareAndPreserve(operator) => {
            // Its type has no name outside of the engine.
            match operators::beside_kept(&format!("{operator:?}")) {
                Some(compare) => vec![apply(operators::KEEP, 1), Step::Swap, apply(compare, 1)],
                None => vec![whole],
            }
        }
        Step::GetItem => {
            let keyed = [apply(operators::KEY, 1), Step::Swap, apply(operators::KEYED, 1)];
            keyed.into_iter().chain([Step::Swap, whole]).collect()
        }
        Step::SetAttr(_) => vec![Step::Swap, weigh(), Step::Swap, whole],
        // Without its brackets a method is found where there is no member of its name.
        Step::GetAttr(name) if is_any_method(name) => {
            vec![
                Step::DupTop,
                whole,
                Step::LoadConst(Value::from(*name)),
                apply(operators::MEMBER, 3),
            ]
        }
        Step::PushLoop(_) => {
            vec![apply(operators::EACH, 1), apply(operators::LETTERS, 1), whole]
        }
        Step::ApplyFilter(name, count, place) => {
            let call = |count| Step::ApplyFilter(name, count, *place);
            let checks = operators::checks_before(name).iter().filter(|_| *count == Some(1));
            let checks = checks.map(|check| apply(check, 1));
            let made = series::generator_words(name)
                .map(|words| [Step::LoadConst(Value::from(words)), apply(operators::GENERATOR, 2)]);
            let made = made.into_iter().flatten();
            let is_each = operators::GOING_THROUGH.iter().any(|known| known == name);
            let all = if is_each { weight::WEIGH_EACH } else { weight::WEIGH_ALL };
            checks.chain(weighed_call(*count, all, call)).chain([weigh()]).chain(made).collect()
        }
        Step::PerformTest(name, count, place) => {
            let call = |count| Step::PerformTest(name, count, *place);
            weighed_call(*count, weight::WEIGH_ALL, call).collect()
        }
        Step::CallFunction(name, count) => {
            let call = |count| Step::CallFunction(name, count);
            weighed_call(*count, weight::WEIGH_ALL, call).chain([weigh()]).collect()
        }
        Step::CallMethod(name, count) => {
            let call = |count| Step::CallMethod(name, count);
            weighed_call(*count, weight::WEIGH_ALL, call).chain([weigh()]).collect()
        }
        Step::CallObject(count) => {
            let steps = weighed_call(*count, weight::WEIGH_ALL, Step::CallObject);
            steps.chain([weigh()]).collect()
        }
        _ => vec![whole],
    }
}

/// A call whose values are weighed before, several by one filter.
fn weighed_call<'t>(
    count: Option<u16>,
    weigh_all: &'static str,
    call: impl Fn(Option<u16>) -> Instruction<'t>,
) -> impl Iterator<Item = Instruction<'t>> {
    let steps = match count {
        Some(0) => vec![call(count)],
        Some(1) => vec![apply(weight::WEIGH, 1), call(count)],
        // They become a list, which is unpacked with its length on top.
        _ => vec![
            Instruction::ApplyFilter(weigh_all, count, u8::MAX),
            Instruction::UnpackLists(1),
            call(None),
        ],
    };
    steps.into_iter()
}
