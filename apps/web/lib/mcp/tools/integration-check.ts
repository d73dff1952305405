/** The account against the go-live checklist: what `GET /v1/checklist` answers, which the dashboard's first page shows too. */
import { checklistResource } from '@clarion/protocol/v1/report/overview';
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { FindCaller } from '../caller.ts';
import { answering, apiResult, data } from '../tool-result.ts';

export function registerIntegrationCheck(server: McpServer, findCaller: FindCaller): void {
  server.registerTool(
    'integration_check',
    {
      title: 'Check the integration',
      description: `Checks the account against the go-live checklist: webhook and failed deliveries, signing keys, push credentials, and for each active tenant its lines, agents, queue members and recent calls. Lists what is done, what is missing and what to do next. Checks up to 20 tenants, or one; \`tenantsLeft\` is the number of tenants that were not checked.`,
      inputSchema: z.object({
        tenant_ref: z.string().min(1).optional().describe('Check only this tenant'),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ tenant_ref }) =>
      answering(async () => {
        const { account } = await findCaller();
        const answered = await account.request({
          method: 'GET',
          path: '/v1/checklist',
          query: tenant_ref === undefined ? {} : { tenant_ref },
        });
        if (answered.status !== 200) return apiResult(answered);
        return data(checklistAnswer.parse(answered.body).checklist);
      }),
  );
}

const checklistAnswer = z.object({ checklist: checklistResource });
