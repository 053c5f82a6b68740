import { ThreadPool } from '../../../workers/pool.ts'
import { fillHome } from './input.ts'
import { held } from './service.ts'
import { THREADS } from './threads.ts'

// A process of its own that builds a release.

interface BuildRequest {
  readonly documents: string
  readonly home: string
}

export interface BuildReport {
  readonly milliseconds: number
  /** Megabytes of 1e6 bytes, at most. */
  readonly memory: number
}

async function main({ documents, home }: BuildRequest): Promise<BuildReport> {
  const pool = new ThreadPool({ threads: THREADS })
  try {
    const start = performance.now()
    await fillHome(home, documents, pool)
    return { milliseconds: performance.now() - start, memory: held('self', 'VmHWM') }
  } finally {
    await pool.close()
  }
}

if (import.meta.main) console.log(JSON.stringify(await main(JSON.parse(process.argv[2] ?? '{}'))))
