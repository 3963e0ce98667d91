-- A key so common that sharing it says nothing (a switchboard, UNKNOWN OWNER, a tower without units); its pairs are not made.
-- grain: evidence, block_key
-- in: link.block_keys
with

limits (evidence, mention_limit) as (
    -- Identifiers and records may be as frequent as a source repeats them; the rest is measured: see src/link/README.md.
    values (1, 400), (2, 400), (4, 60), (8, 60), (16, 100), (32, 100), (64, 60), (128, 100), (256, 60), (512, 20), (1024, 20), (2048, 20)
)

select
    block_keys.evidence,
    block_keys.block_key,
    count(*)::integer as mention_count,
from link.block_keys
inner join limits using (evidence)
group by block_keys.evidence, block_keys.block_key, limits.mention_limit
having count(*) > limits.mention_limit
