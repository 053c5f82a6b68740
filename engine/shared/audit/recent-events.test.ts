import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { newState } from '../support/new-state.ts'
import { AuditRecord } from './audit-record.ts'
import { SegmentRegister } from './segment-register.ts'

// Reads a page of events whose lists have the cases of a whole cohort, in a thread with little memory.

const READER = `
const { parentPort, workerData } = require('node:worker_threads')
void (async () => {
  const { recentEvents } = await import(workerData.reader)
  const { LoopTurns } = await import(workerData.turns)
  const turns = new LoopTurns()
  const run = { size: 50, maxBytes: 1 << 30, maxIds: 100, turns, signal: new AbortController().signal }
  const all = await recentEvents(workerData.root, {}, run)
  const few = await recentEvents(workerData.root, { caseId: 'CASE-7' }, run)
  parentPort.postMessage([all, few].map(({ events, hasMore }) => ({
    hasMore,
    events: events.map(({ cases, caseCount }) => [cases.length, caseCount]),
  })))
})()`

test('a page of events with the cases of whole cohorts is read in little memory', async () => {
  const database = await newState()
  const folder = mkdtempSync(join(tmpdir(), 'casemill-recent-'))
  try {
    const root = join(folder, 'audit')
    const clock = () => new Date()
    const register = new SegmentRegister(database, clock)
    const record = new AuditRecord({ root, register, clock, report: () => {}, days: 0 })
    const cases = new Set(Array.from({ length: 20_000 }, (_, i) => `case-${i}`.padEnd(36, '-')))
    cases.add('case-7')
    const none: ReadonlySet<string> = new Set()
    const answer = {
      request: 'request-1',
      action: 'POST /gene_expression/values',
      subject: 'ada',
      credential: null,
      release: null,
      status: 200,
      bytes: 1,
    }
    const given = { files: none, cases, projects: none }
    await Promise.all(Array.from({ length: 60 }, () => record.answer(answer, given)))
    await record.close()
    const module = (path: string) => new URL(path, import.meta.url).href
    const worker = new Worker(READER, {
      eval: true,
      workerData: {
        root,
        reader: module('./read-record.ts'),
        turns: module('../concurrency/loop-turns.ts'),
      },
      resourceLimits: { maxOldGenerationSizeMb: 64 },
    })
    const read = await new Promise((resolve, reject) => {
      worker.once('message', resolve).once('error', reject)
    })
    const page = { hasMore: true, events: Array.from({ length: 50 }, () => [100, 20_001]) }
    expect(read).toEqual([page, page])
  } finally {
    await database.close()
    rmSync(folder, { recursive: true })
  }
})
