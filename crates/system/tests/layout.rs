//! How states are packed.

use lariat_base::{Id, IdVec, Span};
use lariat_system::reference::{Instance, Valuation};
use lariat_system::{Frame, FrameId, Layout, LocalId, Slot, System, Type};

fn byte() -> Type {
    Type::Int { lo: 0, hi: 255 }
}

#[test]
fn what_is_packed_comes_out_again_and_nothing_overlaps() {
    let mut system = System::empty("layout");
    system.slots.push(Slot::new("a", Type::Bool, 1));
    system.slots.push(Slot::array("b", Type::Int { lo: -3, hi: 3 }, 40, -3));
    system.slots.push(Slot::new("c", Type::Int { lo: -(1 << 31), hi: (1 << 31) - 1 }, -7));
    system.slots.push(Slot::new("one", Type::Int { lo: 5, hi: 5 }, 5));
    let small: IdVec<LocalId, Slot> = [Slot::new("pc", byte(), 3)].into_iter().collect();
    let large: IdVec<LocalId, Slot> =
        [Slot::new("pc", byte(), 9), Slot::array("m", byte(), 12, 200)].into_iter().collect();
    for (name, slots) in [("small", small), ("large", large)] {
        system.frames.push(Frame { name: name.into(), slots, control: None, span: Span::NONE });
    }
    system.pool_size = 3;
    let layout = Layout::new(&system).unwrap();
    let mut state = Valuation::blank(&system);
    for frame in [1, 0, 1] {
        let frame = FrameId(frame);
        state.pool.push(Instance::new(frame, &system.frames[frame]));
    }
    assert_eq!(layout.unpack(&layout.pack(&state)), state);

    // Every bit belongs to one cell: setting a cell to its other extreme changes that cell alone.
    for (slot, field) in layout.slots.entries() {
        let range = system.range(system.slots[slot].ty);
        for cell in 0..field.cells as usize {
            let mut words = layout.pack(&state);
            field.set(&mut words, 0, cell, range.hi);
            let mut expected = state.clone();
            expected.globals[slot.index()][cell] = range.hi;
            assert_eq!(layout.unpack(&words), expected);
        }
    }
}

#[test]
fn a_position_with_nobody_is_all_zero() {
    let mut system = System::empty("empty");
    let slots = [Slot::new("pc", byte(), 3)].into_iter().collect();
    system.frames.push(Frame { name: "p".into(), slots, control: None, span: Span::NONE });
    system.pool_size = 2;
    let layout = Layout::new(&system).unwrap();
    assert_eq!(layout.region_bits, 16);
    assert_eq!(layout.pack(&Valuation::blank(&system)), [0]);
}

#[test]
fn a_huge_state_is_refused_before_memory_is_taken() {
    let mut system = System::empty("huge");
    system.slots.push(Slot::array("a", byte(), 1_000_000_000, 0));
    assert!(Layout::new(&system).is_err());
}
