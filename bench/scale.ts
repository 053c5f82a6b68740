import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Bench, BenchOptions, BenchOutcome, Comparison, Contender } from './bench.ts'
import { DATA_FOLDER } from './data-folder.ts'
import { holdContest, median } from './rounds.ts'
import { Asker, QUESTIONS } from './scale/asker.ts'
import { prepareHomes } from './scale/homes.ts'
import { type ScaledService, startScaled } from './scale/service.ts'

/** The service by 1, 2, 4 and more processes, as many as the machine has processors. */
export const scale: Bench = { workloads: ['search'], run: runScale }

/** Told of larger machines, too, as what was not measured. */
const COUNTS = [1, 2, 4, 8, 16, 32, 64]

const nameOf = (processes: number) => (processes === 1 ? '1 process' : `${processes} processes`)

async function runScale({ quick, rounds, note }: BenchOptions): Promise<BenchOutcome> {
  const processors = availableParallelism()
  const measured = COUNTS.filter((count) => count <= processors)
  const questions = quick ? 200 : 2000
  const turns = rounds ?? (quick ? 2 : 9)
  note('making a demo for each service, unless it is there')
  const homes = await prepareHomes(join(DATA_FOLDER, 'scale'), measured)
  const services: ScaledService[] = []
  try {
    for (const [i, processes] of measured.entries()) {
      services.push(await startScaled(homes[i]!, processes))
    }
    const askers = services.map(({ address }) => new Asker(address))
    try {
      note('comparing answers')
      const digests = await Promise.all(askers.map(digestOf))
      if (new Set(digests).size !== 1) throw new Error('services answer differently')
      const contenders = askers.map(
        (asker, i): Contender => ({
          turn: async () => ({ [nameOf(measured[i]!)]: await asker.ask(questions) }),
        }),
      )
      for (const { turn } of contenders) await turn()
      const before = services.map((service) => service.processorTimes())
      const outcome = await holdContest(
        {
          workload: 'search',
          unit: 'ms',
          rounds: turns,
          contenders,
          comparisons: measured.slice(1).map(
            (processes): Comparison => ({
              ours: nameOf(processes),
              peer: nameOf(1),
              as: 'times as fast',
            }),
          ),
        },
        note,
      )
      const findings = measured.map((processes, i) => {
        const milliseconds = median(outcome.series[nameOf(processes)] ?? [])
        const perSecond = Math.round((questions * 1000) / milliseconds)
        const each = services[i]!.megabytes().map((amount) => amount.toFixed(0))
        const times = services[i]!.processorTimes().map((time, j) => time - before[i]![j]!)
        const all = times.reduce((sum, time) => sum + time, 0)
        const answer = (all / questions / turns).toFixed(2)
        // What one process can do at most bounds what the service does.
        const busiest = Math.round((100 * Math.max(...times)) / all)
        return `${nameOf(processes)}: ${perSecond} answers a second, ${answer} ms of processor time an answer, ${busiest} % of it in the busiest process; ${each.join(' + ')} MB resident`
      })
      const larger = COUNTS.filter((count) => count > processors)
      const unmeasured = `not measured, since this machine has ${processors} processors: ${larger.join(', ')} processes`
      const input = { questions, paths: QUESTIONS, answers: digests[0] }
      return { input, contests: [outcome], findings: [...findings, unmeasured] }
    } finally {
      for (const asker of askers) asker.close()
    }
  } finally {
    for (const service of services) await service.stop()
  }
}

async function digestOf(asker: Asker): Promise<string> {
  const hash = createHash('md5')
  for (const path of QUESTIONS) hash.update(await asker.body(path))
  return hash.digest('hex')
}
