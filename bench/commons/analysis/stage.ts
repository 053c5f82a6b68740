import type { Service } from '../search/service.ts'
import type { Input } from './input.ts'
import type { Peers } from './peers.ts'
import type { Questions } from './questions.ts'

/** What every workload gets. */
export interface Stage {
  readonly input: Input
  readonly questions: Questions
  /** The service that is asked; a workload may start others. */
  readonly service: Service
  readonly peers: Peers
  readonly rounds: (usual: number) => number
  readonly note: (text: string) => void
  readonly tell: (finding: string) => void
}

/** Variables that the service is started with: tables of any size. */
export const SETTINGS: Readonly<Record<string, string>> = { CASEMILL_EXPRESSION_CELLS: '0' }
