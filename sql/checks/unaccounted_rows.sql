-- what it means: some records of a loaded or held file were neither loaded nor refused
-- what to do: report this as a fault of Platbook, because rows were lost; load the file into an empty data folder and compare ledger.files with it
select
    source_id || ' ' || file_name as offender,
from ledger.files
where status in ('loaded', 'held') and physical_rows <> loaded_rows + refused_rows
