-- Two mentions that share a key, with all the evidence that they share (bits: see src/link/README.md).
-- grain: left_number, right_number
-- in: link.block_keys, link.skipped_blocks
with

keys as (
    select evidence, block_key, mention_number from link.block_keys
    anti join link.skipped_blocks using (evidence, block_key)
)

select
    left_keys.mention_number as left_number,
    right_keys.mention_number as right_number,
    bit_or(left_keys.evidence) as evidence,
from keys as left_keys
inner join keys as right_keys
    on
        left_keys.evidence = right_keys.evidence
        and left_keys.block_key = right_keys.block_key
        and left_keys.mention_number < right_keys.mention_number
group by left_keys.mention_number, right_keys.mention_number
