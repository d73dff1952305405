/** Closes the socket of a client that may not stay connected. */
import type { ApiError } from '@clarion/protocol';

/** A socket of agents or of the dashboard. */
export interface Dismissable {
  emit(message: 'error', body: ReturnType<ApiError['toBody']>['error']): unknown;
  disconnect(close: true): unknown;
}

/** Sends the error, then closes the socket. */
export function dismiss(socket: Dismissable, error: ApiError): void {
  socket.emit('error', error.toBody().error);
  socket.disconnect(true);
}
