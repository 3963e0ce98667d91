import { existsSync } from 'node:fs'
import { messageOf } from '../../errors.ts'
import { keptRun, verifyKept } from '../../link/ids/kept-identities.ts'
import { lastBackup } from '../backups.ts'
import type { DoctorContext, Finding } from './check.ts'

const HOUR_MS = 3_600_000

const NEXT = 'run `platbook backup --to DIR|s3://BUCKET/PREFIX`'

/** Checks the age of the last backup, and the saved person ids against their manifest. */
export async function checkBackup({ config, now, state }: DoctorContext): Promise<Finding> {
  const { paths, BACKUP_WITHIN_HOURS: within } = config
  const fault = await faultOfIds(paths.identities)
  if (config.PLATBOOK_STATE !== undefined) {
    const line = 'backup     the state is in PostgreSQL, which pg_dump backs up'
    return { fields: { backup: null }, lines: [line], complaints: fault === null ? [] : [fault] }
  }
  const last = await lastBackup(paths)
  const age =
    last === null ? null : Math.max(0, Math.round((now.getTime() - Date.parse(last.made_at)) / HOUR_MS))
  const line = last === null ? 'backup     none yet' : `backup     ${last.folder}, ${age} h old`
  const isLate = within > 0 && (age === null || age > within) && (await hasMuchToLose(state))
  const complaint =
    last === null
      ? `${paths.state} contains keys, webhooks or opt-outs and was never backed up: ${NEXT}`
      : `the last backup is ${age} hours old; BACKUP_WITHIN_HOURS is ${within}: ${NEXT}`
  return {
    fields: { backup: last === null ? null : { ...last, age_hours: age } },
    lines: existsSync(paths.state) ? [line] : [],
    complaints: [...(fault === null ? [] : [fault]), ...(isLate ? [complaint] : [])],
  }
}

async function faultOfIds(folder: string): Promise<string | null> {
  try {
    const kept = await keptRun(folder)
    if (kept !== null) await verifyKept(kept)
    return null
  } catch (error) {
    return messageOf(error)
  }
}

// A data folder with nothing but the demo key was only used for trying Platbook, and needs no backup.
async function hasMuchToLose({ db }: DoctorContext['state']): Promise<boolean> {
  if (db === null) return false
  const row = await db.get(`select (select count(*) from keys) > 1 or exists (select 1 from suppressions)
         or exists (select 1 from subscriptions) as much`)
  return Number(row?.['much']) === 1
}
