import type { MetricValues } from '../server/http/metrics.ts'

// Messages between the processes of a service. The primary process starts the others, which answer the requests.

/** Messages of a process that answers requests. */
export type ToPrimary =
  /** The process accepts connections. */
  | { readonly kind: 'listening' }
  /** The process requests the metrics of all processes. */
  | { readonly kind: 'gather'; readonly id: number }
  | { readonly kind: 'numbers'; readonly id: number; readonly values: MetricValues }

/** Messages to a process that answers requests. */
export type FromPrimary =
  /** The process should complete its requests and exit. */
  | { readonly kind: 'stop' }
  /** Number of processes that accept connections now. */
  | { readonly kind: 'listening'; readonly processes: number }
  /** The process should report its metrics. */
  | { readonly kind: 'report'; readonly id: number }
  | { readonly kind: 'gathered'; readonly id: number; readonly all: readonly MetricValues[] }
