/** The names of socket.io's rooms. A socket joins its rooms when it connects, the board's when it subscribes. */

/** All sockets of an agent, and those of one of their devices. */
export const agentRoom = (agentId: number) => `agent:${agentId}`;
export const deviceRoom = (agentId: number, deviceId: string) => `device:${agentId}:${deviceId}`;
export const tenantRoom = (tenantId: number) => `tenant:${tenantId}`;
export const consumerRoom = (consumerId: number) => `consumer:${consumerId}`;

/** All pages of a dashboard session, and those of one of its devices. */
export const sessionRoom = (sessionId: number) => `session:${sessionId}`;
export const pageRoom = (sessionId: number, deviceId: string) => `page:${sessionId}:${deviceId}`;

/** The sockets that watch a tenant's board. */
export const boardRoom = (tenantId: number) => `board:${tenantId}`;
