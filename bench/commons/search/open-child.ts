import { ThreadPool } from '../../../workers/pool.ts'
import { NOWHERE } from './form.ts'
import { openOurs, oursForm } from './ours.ts'
import type { Question } from './questions.ts'
import { THREADS } from './threads.ts'

// A process of its own that opens a data folder and asks one question.

interface OpenRequest {
  readonly home: string
  readonly question: Question
}

/** Milliseconds. */
export interface OpenReport {
  readonly open: number
  /** From before it was opened. */
  readonly firstAnswer: number
}

async function main({ home, question }: OpenRequest): Promise<OpenReport> {
  const pool = new ThreadPool({ threads: THREADS })
  try {
    const start = performance.now()
    const engine = await openOurs(home, pool)
    const open = performance.now() - start
    await oursForm(engine).ask(question, NOWHERE)
    const firstAnswer = performance.now() - start
    await engine.close()
    return { open, firstAnswer }
  } finally {
    await pool.close()
  }
}

if (import.meta.main) console.log(JSON.stringify(await main(JSON.parse(process.argv[2] ?? '{}'))))
