/** An event to log that belongs to no request. Never contains secrets or health data. */
export interface EngineEvent {
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
  readonly fileId?: string
  readonly cause?: unknown
}

export type Report = (event: EngineEvent) => void
