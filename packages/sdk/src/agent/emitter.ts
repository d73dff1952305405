type Listeners<E extends Record<string, unknown[]>> = { [K in keyof E]?: Set<(...args: E[K]) => void> };

/** Typed events. If a listener throws, the error is reported to the page and the other listeners still run. */
export class Emitter<E extends Record<string, unknown[]>> {
  readonly #listeners: Listeners<E> = {};

  /** @returns a function that removes the listener */
  on<K extends keyof E>(event: K, listener: (...args: E[K]) => void): () => void {
    const listeners = (this.#listeners[event] ??= new Set<(...args: E[K]) => void>());
    listeners.add(listener);
    return () => this.off(event, listener);
  }

  off<K extends keyof E>(event: K, listener: (...args: E[K]) => void): void {
    this.#listeners[event]?.delete(listener);
  }

  /** Resolves with the arguments of the next event of this name. */
  once<K extends keyof E>(event: K): Promise<E[K]> {
    return new Promise((resolve) => {
      const off = this.on(event, (...args) => {
        off();
        resolve(args);
      });
    });
  }

  /** @internal */
  listenerCount(event: keyof E): number {
    return this.#listeners[event]?.size ?? 0;
  }

  /** @internal */
  emit<K extends keyof E>(event: K, ...args: E[K]): void {
    for (const listener of [...(this.#listeners[event] ?? [])]) {
      try {
        listener(...args);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
