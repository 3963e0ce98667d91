-- The operator's decision about a file that was held or had failed. It counts for the same bytes under any name, also
-- in a warehouse that is built anew from the landing folder.
create table source_decisions (
    source_id text not null,
    -- SHA-256 of the file in landing; of an archive, with the member that the decision is about, else ''.
    sha256 text not null,
    member text not null,
    file_name text not null,
    decision text not null check (decision in ('accept', 'accept_always', 'reject')),
    decided_at text not null,
    primary key (source_id, sha256, member)
) strict, without rowid;
