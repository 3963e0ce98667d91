-- Link models that nightly runs learned, and whether the checks accepted them. The newest row is valid.
create table link_models (
    model_id integer primary key,
    decided_at text not null,
    trained_on text not null,
    record_count integer not null check (record_count >= 0),
    outcome text not null check (outcome in ('used', 'refused')),
    -- The model that links records since then: the learned one, the last one, or the default one that is part of Platbook.
    linked_by text not null check (linked_by in ('learned', 'last', 'default')),
    -- JSON array of the reasons of a refusal; empty for an accepted model.
    faults text not null check (json_valid(faults))
) strict;
