"""Clients that nobody here wrote, against a cluster: opensearch-py's ML client and opensearch-py-ml.
The argument is the cluster's address. Says what each of them was answered, as one line of JSON."""
import json
import sys

from opensearchpy import OpenSearch
from opensearchpy.exceptions import NotFoundError, RequestError
from opensearch_py_ml.ml_commons import MLCommonClient
from opensearch_py_ml.ml_commons.model_connector import Connector

client = OpenSearch(sys.argv[1])
told = {"version": client.info()["version"]["number"], "health": client.cluster.health()["status"]}


def texts(answer):
    entries = [entry for result in answer["inference_results"] for entry in result["output"]]
    return {entry["name"]: entry.get("result") or entry["dataAsMap"]["response"] for entry in entries}


# Documents, which tools search.
for number, text in enumerate(["The wind blows", "Nothing of it"]):
    client.index(index="books", id=str(number), body={"text": text}, refresh=True)
found = client.search(index="books", body={"query": {"match": {"text": "wind"}}})
told["found"] = [hit["_source"]["text"] for hit in found["hits"]["hits"]]

# Tools.
ml = client.plugins.ml if hasattr(client, "plugins") else client.ml
told["tools"] = [tool["type"] for tool in ml.get_all_tools()]
told["tool"] = ml.get_tool(tool_name="ListIndexTool")["type"]
listed = client.transport.perform_request("POST", "/_plugins/_ml/tools/_execute/ListIndexTool", body={"parameters": {}})
told["listed"] = "books" in texts(listed)["response"]

# A connector, and a model that goes through it, as opensearch-py-ml makes them.
connectors = Connector(client)
connector = connectors.create_standalone_connector({
    "name": "echo", "description": "Echoes", "version": 1, "protocol": "http", "credential": {"key": "secret"}, "parameters": {"endpoint": "echo.example"},
    "actions": [{"action_type": "predict", "method": "POST", "url": "https://${parameters.endpoint}/v1", "headers": {}, "request_body": "{\"q\": \"${parameters.prompt}\"}"}],
})["connector_id"]
told["credential"] = "credential" in connectors.get_connector(connector)
models = MLCommonClient(client)
registered = client.transport.perform_request("POST", "/_plugins/_ml/models/_register", body={"name": "echo", "function_name": "remote", "connector_id": connector})
task = models.get_task_info(registered["task_id"], wait_until_task_done=True)
told["task"] = task["state"]
model = task["model_id"]
models.deploy_model(model)
told["model"] = models.get_model_info(model)["model_state"]
told["asked"] = texts(models.generate_model_inference(model, {"parameters": {"prompt": "wind?"}}))
told["in_use"] = None
try:
    connectors.delete_connector(connector)
except Exception as error:
    told["in_use"] = error.status_code

# An agent that searches and then asks the model, with a memory.
agent = ml.register_agents(body={
    "name": "books", "type": "conversational_flow", "memory": {"type": "conversation_index"}, "tools": [
        {"type": "SearchIndexTool", "name": "search", "parameters": {"input": "{\"index\": \"books\", \"query\": {\"query\": {\"match\": {\"text\": \"${parameters.question}\"}}}}"}},
        {"type": "MLModelTool", "name": "llm", "parameters": {"model_id": model, "prompt": "${parameters.question}: ${parameters.search.output}"}, "include_output_in_agent_response": True},
    ],
})["agent_id"]
told["agent"] = ml.get_agent(agent_id=agent)["name"]
first = client.transport.perform_request("POST", f"/_plugins/_ml/agents/{agent}/_execute", body={"parameters": {"question": "wind"}})
told["first"] = texts(first)
memory = told["first"].pop("memory_id")
message = told["first"].pop("parent_message_id")
second = texts(client.transport.perform_request("POST", f"/_plugins/_ml/agents/{agent}/_execute", body={"parameters": {"question": "nothing", "memory_id": memory}}))
told["same_memory"] = second["memory_id"] == memory
told["messages"] = [[said["input"], "wind" in said["response"]] for said in ml.get_all_messages(memory_id=memory)["messages"]]
told["traces"] = [trace["origin"] for trace in ml.get_message_traces(message_id=message)["traces"]]
begun = client.transport.perform_request("POST", f"/_plugins/_ml/agents/{agent}/_execute?async=true", body={"parameters": {"question": "wind"}})
told["async"] = texts(models.get_task_info(begun["task_id"], wait_until_task_done=True)["response"])["llm"]
told["agents"] = [hit["_source"]["name"] for hit in ml.search_agents(body={"query": {"term": {"name.keyword": "books"}}})["hits"]["hits"]]

# What is refused.
told["refused"] = []
for body in [{"name": "x", "type": "nonsense"}, {"name": "", "type": "flow"}, {"name": "x", "type": "flow", "tools": [{"type": "ListIndexTool"}, {"type": "ListIndexTool"}]}]:
    try:
        ml.register_agents(body=body)
    except RequestError as error:
        told["refused"].append(error.info["error"]["details"])
ml.delete_agent(agent_id=agent)
try:
    ml.get_agent(agent_id=agent)
except NotFoundError as error:
    told["gone"] = error.info["error"]["details"]
print(json.dumps(told))
