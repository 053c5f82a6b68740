import { inOrder } from '../../../shared/concurrency/in-order.ts'
import type { Executor } from '../../../shared/executor.ts'
import type { LoadedArrays } from '../../release/loaded.ts'
import type { Release } from '../../release/release.ts'
import { donorKeys } from './case-values.ts'
import type { DonorTable, DonorTimes } from './donor-table.ts'
import type { SurvivalEndpoint } from './endpoint.ts'
import { type DonorTexts, donorTextsJob, readDonorsJob } from './read-donors.ts'

/** Number of donors whose texts one job makes. */
const TEXTS_AT_ONCE = 4096

type TablesByEndpoint = ReadonlyMap<SurvivalEndpoint, Promise<DonorTable>>

/** Cached tables of donors of the current release, one for each endpoint, built on first use. */
export class DonorTables {
  readonly #executor: Executor
  #releaseId = ''
  #cached: TablesByEndpoint = new Map()

  constructor(executor: Executor) {
    this.#executor = executor
  }

  /**
   * Returns the donors of a release. Concurrent callers share one computation, which none of them can cancel.
   * @throws EngineError corrupt_source if the release is damaged, busy if too many jobs are waiting
   */
  of(release: Release, endpoint: SurvivalEndpoint = 'overall'): Promise<DonorTable> {
    const isSame = this.#releaseId === release.id
    const cached: TablesByEndpoint = isSame ? this.#cached : new Map()
    const known = cached.get(endpoint)
    if (known) return known
    const table = this.#make(release, endpoint)
    this.#releaseId = release.id
    this.#cached = new Map([...cached, [endpoint, table]])
    // A failed computation is not cached.
    table.catch(() => {
      const others = [...this.#cached].filter(([, one]) => one !== table)
      this.#cached = new Map(others)
    })
    return table
  }

  async #make(release: Release, endpoint: SurvivalEndpoint): Promise<DonorTable> {
    const lease = release.retain()
    try {
      const loaded = await release.load(donorKeys(endpoint))
      const times = await this.#executor.run(readDonorsJob, { loaded, endpoint })
      return { ...times, ...joined(await this.#texts(times, loaded)) }
    } finally {
      lease.release()
    }
  }

  async #texts({ rows }: DonorTimes, loaded: LoadedArrays): Promise<readonly DonorTexts[]> {
    let from = 0
    const start = () => {
      if (from >= rows.length) return undefined
      const some = rows.slice(from, from + TEXTS_AT_ONCE)
      from += some.length
      return this.#executor.run(donorTextsJob, { loaded, rows: some })
    }
    const texts: DonorTexts[] = []
    for await (const some of inOrder(start, { ahead: this.#executor.parallelism + 1 })) {
      texts.push(some)
    }
    return texts
  }
}

/** Concatenates chunks of text in shared memory. */
function joined(chunks: readonly DonorTexts[]): Pick<DonorTable, 'texts' | 'starts'> {
  const sum = (lengths: readonly number[]) => lengths.reduce((all, length) => all + length, 0)
  const bytes = sum(chunks.map((chunk) => chunk.bytes.length))
  const donors = sum(chunks.map(({ ends }) => ends.length))
  const texts = new Uint8Array(new SharedArrayBuffer(bytes))
  const starts = new Float64Array(new SharedArrayBuffer(8 * (donors + 1)))
  let at = 0
  let donor = 0
  for (const chunk of chunks) {
    for (const end of chunk.ends) starts[++donor] = at + end
    texts.set(chunk.bytes, at)
    at += chunk.bytes.length
  }
  return { texts, starts }
}
