/**
 * `platbook enrich` on a generated world: rows a second, memory, and how well the score is kept. `BENCH_PEOPLE` people
 * (100,000), `BENCH_LEADS` leads (as many as people), `BENCH_SEED` (11); `BENCH_TENTH=1` runs a tenth of the list too.
 */
import { cp, mkdir, rm, stat } from 'node:fs/promises'
import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { pipeline } from 'node:stream/promises'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { currentSnapshot } from '../../src/lookup/format/current.ts'
import { runCommand, runNightOn } from './night.ts'

const OUT = fileURLToPath(new URL('out', import.meta.url))

export async function run(): Promise<void> {
  const people = Number(process.env['BENCH_PEOPLE'] ?? 100_000)
  const leads = Number(process.env['BENCH_LEADS'] ?? people)
  const seed = process.env['BENCH_SEED'] ?? '11'
  const world = join(OUT, `leads-${people}-${leads}-${seed}`)
  const data = join(world, 'data')
  await prepare(world, data, people, leads, seed)
  const list = join(world, 'leads.csv')
  if (process.env['BENCH_TENTH'] === '1') {
    await firstRows(list, join(world, 'tenth.csv'), Math.floor(leads / 10))
    const tenth = await enrich(join(world, 'tenth.csv'), join(world, 'tenth.enriched.csv'), data)
    const whole = await enrich(list, join(world, 'leads.enriched.csv'), data)
    console.log(
      `ten times the rows take ${(whole.working / tenth.working).toFixed(2)} times as long (at most 10.5 wanted)`,
    )
  } else await enrich(list, join(world, 'leads.enriched.csv'), data)
  await quality(join(world, 'leads.enriched.csv'), join(world, 'truth.csv'), data)
}

/** Generates the world, its leads and truth, and runs both nights, unless it is there already. */
async function prepare(
  world: string,
  data: string,
  people: number,
  leads: number,
  seed: string,
): Promise<void> {
  if ((await stat(join(data, 'snapshots', 'current')).catch(() => null)) !== null) return
  await rm(world, { recursive: true, force: true })
  await mkdir(world, { recursive: true })
  const made = [
    'generate',
    '--people',
    String(people),
    '--leads',
    String(leads),
    '--seed',
    seed,
    '--out',
    world,
  ]
  await runCommand([...made, '--truth', join(world, 'truth.csv')])
  // The truth is as of the second day; both days' files are loaded in one night.
  await mkdir(join(data, 'landing'), { recursive: true })
  await cp(join(world, 'day-2'), join(data, 'landing', 'day-2'), { recursive: true })
  const night = await runNightOn(world, 'day-1', data)
  console.log(`${people.toLocaleString('en-US')} people, night of ${night.seconds.toFixed(0)} s`)
}

async function firstRows(from: string, to: string, rows: number): Promise<void> {
  const lines = createInterface({ input: createReadStream(from), crlfDelay: Infinity })
  await pipeline(async function* () {
    let count = 0
    for await (const line of lines) {
      yield `${line}\n`
      if (++count > rows) return
    }
  }, createWriteStream(to))
}

/** `working`: seconds without the start of the process, which does not grow with the list. */
async function enrich(list: string, out: string, data: string): Promise<{ working: number }> {
  const ended = await runCommand(['enrich', list, '--out', out, '--json', '--data', data])
  const report = JSON.parse(ended.stdout.trim().split('\n').at(-1)!) as {
    rows: number
    seconds: number
    rows_per_second: number
  }
  console.log(
    `${report.rows.toLocaleString('en-US')} rows in ${report.seconds.toFixed(1)} s: ${report.rows_per_second.toLocaleString('en-US')} rows/s, ` +
      `with the process's start ${ended.seconds.toFixed(1)} s: ${Math.round(report.rows / ended.seconds).toLocaleString('en-US')} rows/s; ` +
      `${ended.busySeconds.toFixed(1)} s of processor; peak ${ended.peakGiB.toFixed(2)} GiB, of which ${ended.peakOwnGiB.toFixed(2)} GiB are no pages of the snapshot's files`,
  )
  return { working: report.seconds }
}

const percent = (part: number, of: number): string => `${((100 * part) / Math.max(1, of)).toFixed(2)} %`

/**
 * Against the truth. The snapshot's ids are the linkage's, so a person of the truth is the id that most of their records
 * have, and an id is the person whom most of its records name: a match is right by either. What the linkage joined or split
 * wrongly is so no fault of the match; the strict line counts only ids that are mostly the row's person. What a record said
 * before it changed (`key@date`) names whom the truth of the first day has, else the same person as now.
 */
async function quality(enriched: string, truth: string, data: string): Promise<void> {
  const snapshot = await currentSnapshot(join(data, 'snapshots'))
  if (snapshot === null) throw new Error(`no snapshot in ${data}`)
  const connection = await (
    await DuckDBInstance.create(':memory:', { memory_limit: '2GB', threads: '2' })
  ).connect()
  await connection.run(`
    create table truth as select record_id, cluster from read_csv('${truth}', all_varchar = true);
    create table truth_before as select record_id, cluster from read_csv('${truth.replace(/\.csv$/, '.day-1.csv')}', all_varchar = true);
    create table cells as
      select person_id, coalesce(truth_before.cluster, truth.cluster) as cluster, count(*) as size
      from (
        select person_id, mention_key, regexp_replace(mention_key, '@\\d{4}-\\d{2}-\\d{2}', '') as record_id
        from read_parquet('${snapshot.folder}/tables/crosswalk.parquet')
      ) as mentions
      left join truth_before on truth_before.record_id = mentions.record_id and mention_key <> mentions.record_id
      left join truth on truth.record_id = mentions.record_id
      where coalesce(truth_before.cluster, truth.cluster) is not null
      group by all;
    create table judged as
      select rows.true_person, rows.pb_match_status as status, round(100 * try_cast(rows.pb_match_probability as double))::integer as score,
        known.cluster is not null as is_known,
        coalesce(rows.pb_person_id = known.person_id or mostly.cluster = rows.true_person, false) as is_right,
        coalesce(mostly.cluster = rows.true_person, false) as is_strictly_right
      from read_csv('${enriched}', all_varchar = true) as rows
      left join (select cluster, arg_max(person_id, size) as person_id from cells group by cluster) as known on known.cluster = rows.true_person
      left join (select person_id, arg_max(cluster, size) as cluster from cells group by person_id) as mostly on mostly.person_id = rows.pb_person_id`)
  const [counts] = (
    await connection.runAndReadAll(`
      select count(*)::integer as "rows", count(*) filter (is_known)::integer as known,
        count(*) filter (is_known and status = 'matched' and is_right)::integer as right_count,
        count(*) filter (status = 'matched' and not is_right)::integer as wrong,
        count(*) filter (status = 'matched' and not is_strictly_right)::integer as strictly_wrong,
        count(*) filter (status = 'ambiguous')::integer as ambiguous
      from judged`)
  ).getRowObjectsJson() as Record<string, number>[]
  const { rows = 0, known = 0, right_count = 0, wrong = 0, strictly_wrong = 0, ambiguous = 0 } = counts ?? {}
  if (known === 0 || right_count === 0)
    throw new Error(
      `${known} of ${rows} rows are about a person of the snapshot, ${right_count} were matched to that person`,
    )
  console.log(
    `${known.toLocaleString('en-US')} of ${rows.toLocaleString('en-US')} rows are about a person of the snapshot`,
  )
  console.log(
    `  matched to that person ${percent(right_count, known)} (97 % wanted), ambiguous ${percent(ambiguous, rows)}`,
  )
  console.log(
    `  matched to a wrong one ${percent(wrong, rows)} of all rows (0.5 % wanted); strictly ${percent(strictly_wrong, rows)}`,
  )
  console.log(
    '  percent at least   rows    precision   recall   |   of those with just this probability: right',
  )
  const steps = await connection.runAndReadAll(`
    select step,
      count(*) filter (score >= step)::integer as "rows",
      count(*) filter (score >= step and is_right)::integer as right_count,
      count(*) filter (score >= step and score < step + case when step >= 90 then 5 else 10 end)::integer as here,
      count(*) filter (score >= step and score < step + case when step >= 90 then 5 else 10 end and is_right)::integer as right_here
    from judged, unnest([50, 60, 70, 80, 90, 95]) as steps(step)
    where status = 'matched' group by step order by step`)
  for (const {
    step,
    rows: count,
    right_count: right,
    here,
    right_here,
  } of steps.getRowObjectsJson() as Record<string, number>[]) {
    console.log(
      `  ${String(step).padStart(8)} ${String(count).padStart(13)} ${percent(right!, count!).padStart(11)} ${percent(right!, known).padStart(9)}   |   ${String(right_here).padStart(7)} of ${String(here).padStart(7)}: ${percent(right_here!, here!)}`,
    )
  }
  await calibration(connection)
}

/** Prints the mean match probability of the matched rows beside the share of them that is right. */
async function calibration(connection: DuckDBConnection): Promise<void> {
  const [kept] = (
    await connection.runAndReadAll(`
      with bands as (
        select count(*)::integer as "rows", avg(score) as said, 100 * avg(is_right::integer) as is_right
        from judged where status = 'matched' group by least(score // 5, 19)
      )
      select sum("rows" * said) / sum("rows") as said, sum("rows" * is_right) / sum("rows") as is_right,
        sum("rows" * abs(said - is_right)) / sum("rows") as apart,
        sum("rows" * abs(said - is_right)) filter (said < 95) / sum("rows") filter (said < 95) as apart_below
      from bands`)
  ).getRowObjectsJson() as Record<string, number>[]
  if (kept === undefined || kept['said'] === null) return
  const { said, is_right: right, apart, apart_below: below } = kept
  console.log(
    `  calibration: the match probabilities expect ${said!.toFixed(2)} % of the matched rows to be right, ${right!.toFixed(2)} % are; in bands of five points they are ` +
      `${apart!.toFixed(2)} points apart on average, below 95 ${below?.toFixed(1) ?? '-'} points`,
  )
}
