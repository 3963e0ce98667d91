-- What the linker knows of a source, as its definition says; see src/link/records/records.ts.
-- grain: source_id
-- in: reference.sources
select
    source_id,
    is_duplicate_free,
    is_household_like,
from reference.sources
