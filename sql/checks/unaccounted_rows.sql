-- what it means: of a loaded or held file physical records are neither loaded nor refused
-- what to do: stop: rows were lost; load the file into an empty data folder and compare ledger.files with the file itself
select
    source_id || ' ' || file_name as offender,
from ledger.files
where status in ('loaded', 'held') and physical_rows <> loaded_rows + refused_rows
