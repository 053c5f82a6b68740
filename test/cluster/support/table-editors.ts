import { setTimeout as sleep } from 'node:timers/promises'
import { askOnce, insist, type Patience, Unanswered } from './client.ts'
import type { Registry } from './editors.ts'

export interface MarkReport extends Patience {
  /** Marks whose write was acknowledged. */
  readonly kept: string[]
  /** Edits that met a concurrent one and were repeated. */
  conflicts: number
  /** Answers that no client can handle. */
  readonly wrong: string[]
  readonly lost: string[]
}

interface Table {
  /** All marks, separated by blanks. */
  readonly notes?: string
}

const PAUSE_MILLISECONDS = 100

/**
 * Adds one mark after the other to the notes of a staging table, each to the version just read and only if that
 * is still current (`If-Match`), until the signal ends it. Several writers may do so at once without overwriting
 * each other's marks.
 * @param path of the table
 */
export async function mark(
  registry: Registry,
  { path, name }: { readonly path: string; readonly name: string },
  report: MarkReport,
  { seconds, signal }: { seconds: number; signal: AbortSignal },
): Promise<void> {
  for (let n = 0; !signal.aborted; n++) {
    const text = `${name}-${n}`
    try {
      await write(registry, { path, text }, report, seconds)
    } catch (error) {
      report.lost.push(`${text}: ${error instanceof Error ? error.message : String(error)}`)
    }
    await sleep(PAUSE_MILLISECONDS)
  }
}

async function write(
  registry: Registry,
  { path, text }: { readonly path: string; readonly text: string },
  report: MarkReport,
  seconds: number,
): Promise<void> {
  for (;;) {
    const { table, tag } = await read(registry, path, seconds, report)
    // An edit whose answer was lost has added the mark.
    if (marksOf(table).includes(text)) return void report.kept.push(text)
    const body = JSON.stringify({ ...table, notes: [...marksOf(table), text].join(' ') })
    const headers = { ...headersOf(registry), 'If-Match': tag }
    try {
      const question = { method: 'PUT', path, headers, body }
      const { status, bytes } = await askOnce(registry.origin, question)
      if (status === 200) return void report.kept.push(text)
      if (status !== 412) {
        report.wrong.push(`${path}: ${status} ${bytes.toString().slice(0, 300)}`)
        return
      }
      report.conflicts++
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error
      report.again++
    }
  }
}

/** The marks of a table, in the order in which they were written. */
export async function marksIn(
  registry: Registry,
  path: string,
  patience: Patience,
  seconds: number,
): Promise<readonly string[]> {
  return marksOf((await read(registry, path, seconds, patience)).table)
}

async function read(registry: Registry, path: string, seconds: number, patience: Patience) {
  const question = { path, headers: headersOf(registry) }
  const answer = await insist(() => askOnce(registry.origin, question), seconds, patience)
  const text = answer.bytes.toString()
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text.slice(0, 300)}`)
  return { table: JSON.parse(text) as Table, tag: answer.headers.get('etag') ?? 'none' }
}

const marksOf = ({ notes = '' }: Table) => notes.split(' ').filter((text) => text !== '')

const headersOf = ({ key }: Registry) => ({
  'X-SEERAPI-Key': key,
  'Content-Type': 'application/json',
})
