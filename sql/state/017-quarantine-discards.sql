-- Quarantined lines that the operator left out for good. They count for the same bytes under any name, also in a
-- warehouse that is built anew from the landing folder.
create table quarantine_discards (
    discard_id integer primary key,
    source_id text not null,
    kind text not null,
    -- SHA-256 of the file in landing; of an archive, with the member, else ''.
    sha256 text not null,
    member text not null,
    file_name text not null,
    -- JSON array.
    line_numbers text not null check (json_valid(line_numbers)),
    row_count integer not null check (row_count > 0),
    why text not null,
    discarded_by text not null,
    discarded_at text not null
) strict;
