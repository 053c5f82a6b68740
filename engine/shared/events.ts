/** Something worth a log line that belongs to no request. Never holds a secret or a health datum. */
export interface EngineEvent {
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
  readonly fileId?: string
  readonly cause?: unknown
}

export type Report = (event: EngineEvent) => void
