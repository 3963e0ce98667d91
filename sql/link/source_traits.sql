-- Properties of sources that the linker uses, from their definitions; src/link/records/record-table.ts explains them.
-- grain: source_id
-- in: reference.sources
-- by: source_id
select
    source_id,
    is_duplicate_free,
    is_household_like,
from reference.sources
