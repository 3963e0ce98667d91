-- Quarantined lines that the operator discarded for good. They apply to the same bytes under any file name, also after the
-- warehouse was rebuilt from the landing folder.
create table quarantine_discards (
    discard_id integer primary key,
    source_id text not null,
    kind text not null,
    -- sha256: of the file in landing. member: the file in an archive; '' for other files.
    sha256 text not null,
    member text not null,
    file_name text not null,
    -- JSON array of line numbers.
    line_numbers text not null check (json_valid(line_numbers)),
    row_count integer not null check (row_count > 0),
    why text not null,
    discarded_by text not null,
    discarded_at text not null
) strict;
