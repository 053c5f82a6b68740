import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runTool } from '../../tools.ts'
import type { Survival } from './answers.ts'
import { LineChild } from './line-child.ts'
import type { Contestant, Peer } from './way.ts'

const PROGRAM = 'Rscript'

export function hasR(): Promise<boolean> {
  return runTool(PROGRAM, ['-e', 'library(survival)']).then(
    () => true,
    () => false,
  )
}

/** R's survival package, with the donors loaded. */
export async function startR(donors: string, scratch: string): Promise<Peer> {
  const words = [join(import.meta.dirname, 'r', 'survival.R'), donors]
  const child = new LineChild(PROGRAM, words)
  const greeting = await child.next()
  const ask = async (path: string) => (await child.ask(path)).split(' ').map(Number)
  const path = join(scratch, 'curves')
  const contestant: Contestant = {
    name: 'R survival',
    ways: [
      {
        name: 'survfit and survdiff',
        async times(questions) {
          const times: number[] = []
          for (let i = 0; i < questions.length; i++) times.push((await ask(''))[0]!)
          return times
        },
        answer: async () => ({ value: survivalOf(await ask(path), await readFile(path, 'utf8')) }),
      },
    ],
  }
  return {
    versions: { 'R survival': greeting },
    contestants: (kind) => (kind === 'survival' ? [contestant] : []),
    stop: () => child.stop(),
  }
}

/** Chi squared is the sum of (O - E)² / E, as the interface has it (data-commons.md 6.8). */
function survivalOf([, ...told]: readonly number[], steps: string): Survival {
  const curves = told.length / 3
  const [donors, deaths, expected] = [0, 1, 2].map((part) =>
    told.slice(part * curves, (part + 1) * curves),
  ) as [number[], number[], number[]]
  const rows = steps
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t').map(Number))
  return {
    curves: donors.map((count, curve) => ({
      donors: count,
      steps: rows
        .filter(([place]) => place === curve + 1)
        .map(([, time, estimate]) => [time!, estimate!] as const),
    })),
    chiSquared: deaths.reduce(
      (all, death, i) => all + (death - expected[i]!) ** 2 / expected[i]!,
      0,
    ),
  }
}
