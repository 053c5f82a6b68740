import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'

interface CaseDocument {
  readonly demographic?: {
    readonly sex_at_birth?: string
    readonly vital_status?: string
    readonly days_to_death?: number | null
  }
  readonly diagnoses?: readonly { readonly days_to_last_follow_up?: number | null }[]
  readonly follow_ups?: readonly { readonly days_to_follow_up?: number | null }[]
}

/** The two curves: cases by this field. */
export const CURVES: readonly string[] = ['female', 'male']

/**
 * Days, whether the case died (1 or 0) and its curve as a table for R, by a plain reading of the
 * documents after data-commons.md 6.8, with nothing of the engine's.
 */
export async function writeDonors(cases: string, path: string): Promise<void> {
  const rows = ['time\tdied\tcurve']
  for await (const line of createInterface({ input: createReadStream(cases) })) {
    const row = donorOf(JSON.parse(line))
    if (row) rows.push(row)
  }
  await writeFile(path, `${rows.join('\n')}\n`)
}

function donorOf({ demographic, diagnoses, follow_ups: visits }: CaseDocument): string | undefined {
  const curve = CURVES.indexOf(demographic?.sex_at_birth ?? '')
  const status = demographic?.vital_status?.toLowerCase()
  if (curve < 0 || (status !== 'alive' && status !== 'dead')) return undefined
  const days =
    status === 'dead'
      ? [demographic?.days_to_death]
      : [
          ...(diagnoses ?? []).map((each) => each.days_to_last_follow_up),
          ...(visits ?? []).map((each) => each.days_to_follow_up),
        ]
  const known = days.filter((day) => typeof day === 'number')
  if (known.length === 0) return undefined
  return `${Math.max(...known)}\t${status === 'dead' ? 1 : 0}\t${curve + 1}`
}
