-- The operator's decision about a file that looked suspicious or failed to load. It applies to the same bytes under any file name, also after the
-- warehouse was rebuilt from the landing folder.
create table source_decisions (
    source_id text not null,
    -- sha256: of the file in landing. member: the file in an archive that the decision is about; '' for other files.
    sha256 text not null,
    member text not null,
    file_name text not null,
    decision text not null check (decision in ('accept', 'accept_always', 'reject')),
    decided_at text not null,
    primary key (source_id, sha256, member)
) strict, without rowid;
