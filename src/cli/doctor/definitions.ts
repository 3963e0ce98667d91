import { hashOfDefinition } from '../../ingest/plan.ts'
import { engineFaults } from '../../ingest/definition-faults.ts'
import { loadedDefinitions } from '../../ingest/ledger.ts'
import { placedFaults } from '../../ingest/sources.ts'
import { openWarehouse } from '../../warehouse/open.ts'
import type { DoctorContext, Finding } from './check.ts'

/** Checks the source definitions. DuckDB checks only definitions that are new or changed since they loaded files. */
export async function checkDefinitions({
  definitions,
  badDefinitions,
  warehouse,
}: DoctorContext): Promise<Finding> {
  const bad_definitions = badDefinitions.map(({ id, file, message }) => ({ source_id: id, file, message }))
  const complaints = badDefinitions.map(
    (bad) => `source ${bad.id} is not loaded because its definition has a fault: ${bad.message}`,
  )
  const sound = warehouse.db === null ? new Map() : await loadedDefinitions(warehouse.db)
  const unproven = definitions.filter((source) => sound.get(source.id) !== hashOfDefinition(source))
  const engine = await openWarehouse(':memory:', { memoryLimit: '1GB', threads: 1 })
  try {
    for (const source of unproven) {
      const faults = await placedFaults(source, await engineFaults(engine.db, source))
      if (faults.length === 0) continue
      bad_definitions.push({ source_id: source.id, file: '', message: faults.join('\n') })
      complaints.push(
        `source ${source.id} is not loaded because its definition has a fault: ${faults.join('; ')}`,
      )
    }
  } finally {
    await engine.close()
  }
  return {
    fields: { bad_definitions },
    lines: [],
    complaints: complaints.map((text) => `${text}; correct it and run \`platbook sources --test\``),
  }
}
