-- Link models that nightly runs learned, and whether the checks let them into use. The newest row is the one that counts.
create table link_models (
    model_id integer primary key,
    decided_at text not null,
    trained_on text not null,
    record_count integer not null check (record_count >= 0),
    outcome text not null check (outcome in ('used', 'refused')),
    -- The model by which records are linked since then: the one that was learned, the one before, or the one that ships with Platbook.
    linked_by text not null check (linked_by in ('learned', 'last', 'default')),
    -- JSON array of sentences; empty where the model is used.
    faults text not null check (json_valid(faults))
) strict;
