import { parseArgs } from 'node:util'
import { access } from 'node:fs/promises'
import { AppError } from '../../errors.ts'
import { type EnrichmentEvaluation, evaluateEnrichment } from '../../link/explain/evaluate-enrichment.ts'
import { evaluatePersonIds } from '../../link/explain/evaluate.ts'
import { figuresLine } from '../figures-line.ts'
import type { CommandIo } from '../io.ts'
import { print } from '../print.ts'
import { readWarehouse } from '../read-warehouse.ts'

export const summary = 'compares person ids, or the matches of an enriched file, with a truth file'
export const usage = `platbook evaluate --truth FILE [--enriched FILE] [--truth-column NAME] [--prefix pb_] [--data DIR] [--json]

--truth is a CSV file with the columns record_id and cluster. Records without a person id (refused rows, unreadable names) count
as people of their own. --enriched compares the matches in an output file of \`platbook enrich\` instead: the column
--truth-column (default: true_person) contains the cluster of each row's true person.`

export async function run(argv: string[], io: CommandIo): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      truth: { type: 'string' },
      enriched: { type: 'string' },
      'truth-column': { type: 'string', default: 'true_person' },
      prefix: { type: 'string', default: 'pb_' },
      json: { type: 'boolean' },
    },
  })
  const { truth } = values
  if (truth === undefined) throw new AppError('bad_usage', `evaluate needs --truth FILE\nusage: ${usage}`)
  for (const file of [truth, ...(values.enriched === undefined ? [] : [values.enriched])])
    await access(file).catch((cause: unknown) => {
      throw new AppError('bad_usage', `there is no file ${file}`, { cause })
    })
  if (values.enriched !== undefined) {
    const enriched = { path: values.enriched, truthColumn: values['truth-column'], prefix: values.prefix }
    const found = await readWarehouse(io.config, (db) => evaluateEnrichment(db, truth, enriched))
    print(io, values.json, found, enrichmentLines(found))
    return 0
  }
  const found = await readWarehouse(io.config, (db) => evaluatePersonIds(db, truth))
  print(io, values.json, found, [
    `${found.records} records of the truth file compared; ${found.missing} have no person id and count as people of their own`,
    figuresLine('pairwise', found.pairwise),
    figuresLine('B³', found.bCubed),
    `${found.split} true people have several person ids; ${found.merged} person ids cover several true people`,
  ])
  return 0
}

const of = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(2)} %`

function enrichmentLines(found: EnrichmentEvaluation): string[] {
  const wrong = found.matched - found.right
  return [
    `${found.rows} rows; the true person has records in the warehouse for ${found.known} rows, and none for ${found.unknown}`,
    `matched    ${found.matched} rows, ${found.ambiguous} ambiguous`,
    `right      ${found.right}: ${of(found.right, found.known)} of the rows whose true person has records`,
    `wrong      ${wrong}: ${of(wrong, found.rows)} of all rows; ${found.matched - found.strictly_right} have an id whose records mostly belong to another person`,
  ]
}
