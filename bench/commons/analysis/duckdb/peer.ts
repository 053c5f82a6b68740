import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckClient } from '../../search/duckdb/client.ts'
import { openDatabase } from '../../search/duckdb/database.ts'
import type { Kind, Question } from '../questions.ts'
import type { Contestant, Peer, Way } from '../way.ts'
import { countWays } from './counts.ts'
import { selectionWays, valueWays } from './expression.ts'
import type { Ask, WaysOf } from './ways.ts'

/** DuckDB in this process, its tables in a file. */
export async function openDuck(path: string, scratch: string): Promise<Peer> {
  const database = await openDatabase(path, 'READ_ONLY')
  const client = new DuckClient(await database.connect())
  const body = join(scratch, 'duckdb')
  const ways: WaysOf = { values: valueWays, selection: selectionWays, ...countWays }
  const contestants = (kind: Kind): readonly Contestant[] => {
    const named = Object.entries(ways[kind] ?? {}) as [string, Ask<Kind>][]
    if (named.length === 0) return []
    return [{ name: 'DuckDB', ways: named.map(([name, ask]) => wayOf(name, ask, client, body)) }]
  }
  return {
    versions: { DuckDB: database.version },
    contestants,
    stop: async () => database.close(),
  }
}

function wayOf(name: string, ask: Ask<Kind>, client: DuckClient, body: string): Way {
  return {
    name,
    async times(questions) {
      const times: number[] = []
      for (const question of questions) {
        const start = performance.now()
        await ask(question as never, client, body)
        times.push(performance.now() - start)
      }
      return times
    },
    async answer(question: Question) {
      const value = await ask(question as never, client, body)
      return question.kind === 'values' ? { table: await readFile(body) } : { value }
    },
  }
}
