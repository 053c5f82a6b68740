import type { MetricValues } from '../server/http/metrics.ts'

// What processes of one service say to each other. The first one knows no engine: it starts the others, which
// answer requests.

/** Of a process that answers requests. */
export type ToPrimary =
  /** It accepts connections. */
  | { readonly kind: 'listening' }
  /** It wants the numbers of all. */
  | { readonly kind: 'gather'; readonly id: number }
  | { readonly kind: 'numbers'; readonly id: number; readonly values: MetricValues }

/** To a process that answers requests. */
export type FromPrimary =
  /** It is to finish what it has begun, and to end. */
  | { readonly kind: 'stop' }
  /** How many accept connections now. */
  | { readonly kind: 'listening'; readonly processes: number }
  /** Its numbers are wanted. */
  | { readonly kind: 'report'; readonly id: number }
  | { readonly kind: 'gathered'; readonly id: number; readonly all: readonly MetricValues[] }
