import type { DuckDBConnection } from '@duckdb/node-api'
import { readReportFacts, type ReportInput } from './report-facts.ts'
import { reportHtml } from './report-html.ts'

/**
 * Writes the report of a link run as one self-contained HTML page. `faults`: number of input problems that the page
 * lists.
 */
export async function reportPage(
  db: DuckDBConnection,
  input: ReportInput,
): Promise<{ page: string; faults: number }> {
  const facts = await readReportFacts(db, input)
  return { page: reportHtml(facts), faults: facts.faults.length }
}
